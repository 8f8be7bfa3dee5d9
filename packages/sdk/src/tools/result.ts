import type { JsonValue } from '../protocol/json.ts'
import { outputText } from '../protocol/text.ts'
import { asJson } from './as-json.ts'
import { isToolContent } from './content.ts'
import { rare } from './late.ts'
import type { Outcome } from './outcome.ts'
import { truncateText } from './truncate.ts'

/** Whatever a tool returned. What cannot be read becomes an error that names the tool. */
export async function returned(toolName: string, value: unknown): Promise<Outcome> {
  try {
    if (isToolContent(value)) return (await rare()).contentOutcome(value)
    return { outcome: 'ok', output: await asJson(value) }
  } catch (error) {
    return (await rare()).unreadable(toolName, error)
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
