import { normaliseText } from '../protocol/json.ts'
import type { ToolContent } from './content.ts'
import type { Outcome } from './outcome.ts'

/** The outcome of a tool that returned several parts. */
export function contentOutcome({ parts }: ToolContent): Outcome {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [normaliseText(part.text)] : []))
  return { outcome: 'ok', output: texts.join('\n'), images: parts.filter((part) => part.type === 'image') }
}
