import type { Command } from '../protocol/commands.ts'
import { canonicalJson } from '../protocol/json.ts'

/** What of a command counts when its id comes again: everything but `at` and `by`, whatever the order of its keys. */
export function commandContent(command: Command): string {
  const { at: _at, by: _by, ...content } = command
  return canonicalJson(content)
}
