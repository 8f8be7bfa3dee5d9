import type { MessageStatus } from '@assistant-ui/react'
import type { AssistantMessage, FinishReason } from '@stepwell/sdk'
import type { SessionSnapshot } from '@stepwell/sdk/view'

export type ReplyStatus = MessageStatus

export interface ReplyPlace {
  readonly messages: readonly AssistantMessage[]
  readonly snapshot: SessionSnapshot
  /** No reply comes after it. */
  readonly isLastReply: boolean
  /** Nothing comes after it. */
  readonly isLast: boolean
}

const RUNNING: ReplyStatus = { type: 'running' }
const COMPLETE: ReplyStatus = { type: 'complete', reason: 'stop' }
const CANCELLED: ReplyStatus = { type: 'incomplete', reason: 'cancelled' }
const FOR_PERSON: ReplyStatus = { type: 'requires-action', reason: 'interrupt' }
const FOR_PAGE: ReplyStatus = { type: 'requires-action', reason: 'tool-calls' }

/** Always explicit: assistant-ui would guess, and cannot know of parked runs. */
export function replyStatus({ messages, snapshot, isLastReply, isLast }: ReplyPlace): ReplyStatus {
  const { status, lastFinish, run } = snapshot
  const last = messages.at(-1)
  const asked = isLastReply && run !== undefined ? askedOf(messages, snapshot) : undefined
  if (asked !== undefined) return asked
  if (isLast && (status === 'running' || status === 'stopping')) return RUNNING
  if (isLast && status === 'waiting') return FOR_PERSON
  if (isLastReply && run === undefined && lastFinish !== undefined && lastFinish.runId === last?.runId) {
    return finished(lastFinish.reason, lastFinish.error?.message)
  }
  return last?.partial ? CANCELLED : COMPLETE
}

export function sameStatus(a: ReplyStatus, b: ReplyStatus): boolean {
  return a === b || (a.type === 'incomplete' && b.type === 'incomplete' && a.reason === b.reason && a.error === b.error)
}

/** A person comes before the page: a tool of the page answers by itself. */
function askedOf(messages: readonly AssistantMessage[], { requests }: SessionSnapshot): ReplyStatus | undefined {
  if (requests.length === 0) return undefined
  const calls = new Set(messages.flatMap(({ parts }) => parts.flatMap((part) => ('callId' in part ? part.callId : []))))
  const own = requests.filter(({ request }) => request.callId !== undefined && calls.has(request.callId))
  if (own.length === 0) return undefined
  return own.every(({ request }) => request.kind === 'client-tool') ? FOR_PAGE : FOR_PERSON
}

function finished(reason: FinishReason, error: string | undefined): ReplyStatus {
  switch (reason) {
    case 'stop':
      return COMPLETE
    case 'aborted':
      return CANCELLED
    case 'length':
      return { type: 'incomplete', reason: 'length' }
    case 'content-filter':
    case 'compliance':
      return { type: 'incomplete', reason: 'content-filter', ...(error !== undefined && { error }) }
    case 'error':
      return { type: 'incomplete', reason: 'error', error: error ?? reason }
    default:
      return { type: 'incomplete', reason: 'other', error: error ?? reason }
  }
}
