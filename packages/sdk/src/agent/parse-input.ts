import { isObject, type JsonObject } from '../protocol/json.ts'

/** A call's input as an object; nothing at all counts as `{}`. Undefined when it is no JSON object. */
export function parseInput(text: string): JsonObject | undefined {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
