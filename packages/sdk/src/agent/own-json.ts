import { type JsonValue, normalise } from '../protocol/json.ts'

/** What an app gave, as JSON that nobody else has: its object may change later, and what is in the log may not. */
export function ownJson(value: unknown): JsonValue {
  return structuredClone(normalise(value))
}
