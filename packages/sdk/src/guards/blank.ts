import type { AssistantMessage } from '../protocol/messages.ts'

/**
 * Whether a whole reply says nothing: no text but white space, no call, no file. Thoughts and sources alone say nothing.
 * `undefined`: the model sent nothing at all.
 */
export function isBlank(message: AssistantMessage | undefined): boolean {
  return (message?.parts ?? []).every(
    (part) => part.type === 'reasoning' || part.type === 'source' || (part.type === 'text' && part.text.trim() === ''),
  )
}
