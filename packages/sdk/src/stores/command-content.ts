import type { Command } from '../protocol/commands.ts'
import type { JsonValue } from '../protocol/json.ts'

/** What of a command counts when its id comes again: everything but `at` and `by`, whatever the order of its keys. */
export function commandContent(command: Command): string {
  const { at: _at, by: _by, ...content } = command
  return JSON.stringify(content, sortKeys)
}

function sortKeys(_key: string, value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
