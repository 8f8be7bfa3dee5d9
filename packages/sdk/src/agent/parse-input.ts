import { isObject, type JsonObject } from '../protocol/json.ts'
import { parsed } from '../protocol/parsed.ts'

/** A call's input as an object; nothing at all counts as `{}`. Undefined when it is no JSON object. */
export function parseInput(text: string): JsonObject | undefined {
  const value = text.trim() === '' ? {} : parsed(text)
  return isObject(value) ? value : undefined
}
