import { type Answers, type JsonObject, resultText, type ToolResult } from '@stepwell/sdk'
import { oneLine } from './terminal/printable.ts'

/** Characters of what a call is about. */
const TITLE = 60
/** Characters of why a call was denied. */
const DENIAL = 160

/** A call in one line: the tool and what it is about. */
export function callTitle(toolName: string, input: JsonObject | undefined): string {
  const about = input?.command ?? input?.path ?? input?.text
  return typeof about === 'string' ? `${toolName} ${oneLine(about, TITLE)}` : toolName
}

/** What came of a call, in a few words. */
export function resultNote(result: ToolResult): string {
  const text = resultText(result)
  if (result.outcome === 'denied') return oneLine(text, DENIAL)
  if (result.outcome === 'skipped') return 'not answered'
  const answers = answersOf(result)
  if (answers !== undefined) return oneLine(answers)
  // A command tells its own time.
  if (result.changes) return result.changes.map(({ added = 0, removed = 0 }) => `+${added} −${removed}`).join(', ')
  if (result.outcome === 'ok' && result.toolName === 'run_command') return oneLine(text.split('\n', 1)[0] ?? '')
  // A person's answer is no work of a tool.
  const time = result.durationMs > 0 ? ` · ${duration(result.durationMs)}` : ''
  return outcomeOf(result, text) + time
}

/** What a person answered, question by question. */
function answersOf({ output }: ToolResult): string | undefined {
  if (typeof output !== 'object' || output === null || Array.isArray(output) || !('answers' in output)) return undefined
  return Object.entries(output.answers as Answers)
    .map(([id, labels]) => `${id}: ${labels.join(', ')}`)
    .join(' · ')
}

function outcomeOf({ outcome }: ToolResult, text: string): string {
  if (outcome === 'aborted') return 'stopped'
  if (outcome !== 'ok') return `${outcome}: ${oneLine(text)}`
  const lines = text.split('\n').length
  return lines === 1 ? oneLine(text, 60) : `${lines} lines`
}

/** For people: `38 ms`, `1.2 s`, `2 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`
}
