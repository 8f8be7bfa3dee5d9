import { type JsonValue, normaliseText } from '../protocol/json.ts'
import type { ToolOutcome } from '../protocol/messages.ts'
import { outputText } from '../protocol/text.ts'
import { asJson } from './as-json.ts'
import { type ImagePart, isToolContent } from './content.ts'
import type { Tool } from './tool.ts'
import { truncateText } from './truncate.ts'

/** What came of a call, before it is stored. */
export interface Outcome {
  readonly outcome: ToolOutcome
  readonly output: JsonValue
  readonly code?: string
  readonly images?: readonly ImagePart[]
}

export const NEVER_STARTED: Outcome = {
  outcome: 'aborted',
  output: 'Not started: the run was stopped before. Nothing was done.',
}

export const ABANDONED: Outcome = {
  outcome: 'aborted',
  output: 'The run was stopped and this call was abandoned: its outcome is unknown. Check before you repeat it.',
}

export function timedOut(tool: Tool): Outcome {
  const output = `Tool "${tool.name}" did not answer within ${tool.timeoutMs / 1000} s and was abandoned: its outcome is unknown. Check before you repeat it.`
  return { outcome: 'timeout', code: 'tool.timeout', output }
}

/** Whatever a tool returned. What cannot be read becomes an error that names the tool. */
export async function returned(toolName: string, value: unknown): Promise<Outcome> {
  if (isToolContent(value)) {
    const texts = value.parts.flatMap((part) => (part.type === 'text' ? [normaliseText(part.text)] : []))
    const images = value.parts.filter((part) => part.type === 'image')
    return { outcome: 'ok', output: texts.join('\n'), images }
  }
  try {
    return { outcome: 'ok', output: await asJson(value) }
  } catch (error) {
    return (await import('./rare.ts')).unreadable(toolName, error)
  }
}

/** An output within its limit. `whole` is there when something was cut. */
export interface Limited {
  readonly output: JsonValue
  readonly truncatedTo?: number
  readonly whole?: string
}

/** `max`: UTF-16 units of the text the model is told, marker not counted. */
export function limited(output: JsonValue, max: number): Limited {
  const whole = outputText(output)
  if (whole.length <= max) return { output }
  const kept = truncateText(whole, max)
  const cut = (whole.length - kept.length).toLocaleString('en')
  const marker = `[cut: ${cut} of ${whole.length.toLocaleString('en')} characters are left out]`
  return { output: `${kept}\n${marker}`, truncatedTo: kept.length, whole }
}
