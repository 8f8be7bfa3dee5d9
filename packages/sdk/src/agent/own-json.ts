import { type JsonValue, normalise } from '../protocol/json.ts'

/**
 * What an app gave, as JSON that nobody else has: its object may change later, and what is in the log may not. It may be a
 * proxy, as frameworks make of plain objects, which a structured clone refuses.
 */
export function ownJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(normalise(value))) as JsonValue
}
