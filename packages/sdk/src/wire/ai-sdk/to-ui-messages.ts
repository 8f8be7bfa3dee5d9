import type { BlobRef, Message } from '../../protocol/messages.ts'
import type { SessionState } from '../../protocol/state.ts'
import { blobPath, DEFAULT_PATH } from './file-url.ts'
import { stepParts, userParts } from './parts.ts'
import { questionParts } from './questions.ts'
import type { UIMessage } from './ui-message.ts'

export interface ToUIMessagesOptions {
  /** Where a page gets the bytes of an attachment. Default: from the handler of `createAISDKHandler` at `/api/chat`. */
  readonly fileUrl?: (blob: BlobRef) => string
}

/**
 * The session as messages of the AI SDK, the reply being streamed included: what `useChat({ messages })`, AI Elements and
 * `convertToModelMessages` take. All that was said between two messages of a person is one message, with a `step-start`
 * before each turn. Notes (summaries, background news) are left out, and so is what only a model can read.
 */
export function toUIMessages(
  state: Pick<SessionState, 'id' | 'history' | 'pending'>,
  { fileUrl = ({ sha256 }) => blobPath(DEFAULT_PATH, state.id) + sha256 }: ToUIMessagesOptions = {},
): UIMessage[] {
  const messages: UIMessage[] = []
  const add = (message: Message, isWhole: boolean): void => {
    const { id, at: createdAt } = message
    if (message.role === 'user') {
      messages.push({ id, role: 'user', metadata: { createdAt }, parts: userParts(message, fileUrl) })
    } else if (message.role === 'assistant') {
      const parts = stepParts(message, isWhole, { state, fileUrl })
      const last = messages.at(-1)
      if (last?.role === 'assistant') last.parts.push(...parts)
      else messages.push({ id, role: 'assistant', metadata: { createdAt }, parts })
    }
  }
  for (const message of state.history) add(message, true)
  if (state.pending.message !== undefined) add(state.pending.message, false)
  messages.at(-1)?.parts.push(...questionParts(state))
  return messages
}
