import type { AssistantMessage, Message, UserMessage } from '../../protocol/messages.ts'
import type { SessionState } from '../../protocol/state.ts'
import type { FileUrl } from './file-url.ts'
import { stepParts, userParts } from './parts.ts'
import type { UIPart } from './ui-message.ts'

/** Which reply of a session: what was said after a message of a person, up to the end of a run. */
export interface ReplyPlace {
  /** The id of the person's message. Undefined: from the session's beginning. */
  readonly after: string | undefined
  readonly runId: string
}

/** A reply so far. */
export interface Reply {
  /** Of its first message. Undefined while nothing was said. */
  readonly id: string | undefined
  /** Epoch ms, of its first message. */
  readonly createdAt: number
  readonly parts: readonly UIPart[]
  /** Something is being added to the last step. */
  readonly isStreaming: boolean
}

export function replyAt(state: SessionState, place: ReplyPlace, fileUrl: FileUrl): Reply {
  const messages = messagesAt(state, place)
  const pending = state.run?.id === place.runId ? state.pending.message : undefined
  const first = messages.find(({ role }) => role === 'assistant') ?? pending
  const parts = messages.flatMap((message) =>
    message.role === 'user' ? [joined(message, fileUrl)] : stepParts(message, true, { state, fileUrl }),
  )
  if (pending !== undefined) parts.push(...stepParts(pending, false, { state, fileUrl }))
  return { id: first?.id, createdAt: first?.at ?? 0, parts, isStreaming: pending !== undefined }
}

/** Up to the end of the run, also where others followed it. */
function messagesAt({ history }: SessionState, { after, runId }: ReplyPlace): (AssistantMessage | UserMessage)[] {
  const anchor = history.findLastIndex(({ id }) => id === after)
  const start = after !== undefined && anchor === -1 ? history.length : anchor + 1
  const messages: (AssistantMessage | UserMessage)[] = []
  let isInRun = false
  for (let i = start; i < history.length; i++) {
    const message = history[i] as Message
    if (message.runId === runId) isInRun = true
    else if (isInRun || message.role === 'user') break
    if (message.role !== 'note') messages.push(message)
  }
  return messages
}

/** What somebody else said meanwhile. The page has one message for the reply, so it stands in there. */
function joined(message: UserMessage, fileUrl: FileUrl): UIPart {
  return { type: 'data-user-message', id: message.id, data: { parts: userParts(message, fileUrl) } }
}
