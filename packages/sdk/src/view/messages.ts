import type { ErrorInfo } from '../protocol/errors.ts'
import type {
  AssistantMessage,
  AssistantPart,
  Message,
  NoteMessage,
  ToolCallPart,
  UserMessage,
  UserPart,
} from '../protocol/messages.ts'
import type { LiveCall, PendingCall } from '../protocol/state.ts'
import { HistoryIndex } from './history-index.ts'
import { itemOf, type MessageItem, type MessageStatus } from './message-item.ts'
import type { SessionSnapshot } from './snapshot.ts'

/** A part, but for what it says. */
export interface PartOutline {
  readonly type: (UserPart | AssistantPart)['type']
  /** Of a tool call. */
  readonly callId?: string
}

interface Outlined {
  readonly status: MessageStatus
  readonly error?: ErrorInfo
  /** What they say is read part by part. A note has none. */
  readonly parts: readonly PartOutline[]
}

/** A message, but for what its parts say: it stays the same while they grow. */
export type MessageOutline =
  | (Omit<UserMessage, 'parts'> & Outlined)
  | (Omit<AssistantMessage, 'parts'> & Outlined)
  | (NoteMessage & Outlined)

/** A tool call, with all that is known of it. */
export interface CallItem {
  readonly callId: string
  /** Its input, state and result. Absent where its message is not known here. */
  readonly part?: ToolCallPart
  /** While it runs, and until its result: what it prints. */
  readonly live?: LiveCall
  /** While it is in the history without a result. `requestId` is the open request on it. */
  readonly pending?: PendingCall
}

/** Finds what a view shows of messages, and makes each value once as long as it does not change. */
export class Messages {
  readonly #index = new HistoryIndex()
  readonly #outlines = new Map<string, MessageOutline>()
  readonly #calls = new Map<string, CallItem>()

  outline(shown: SessionSnapshot, id: string): MessageOutline | undefined {
    const known = this.#outlines.get(id)
    if (known !== undefined) return known
    const item = this.#find(shown, id)
    if (item === undefined) return undefined
    const outline = outlineOf(item)
    this.#outlines.set(id, outline)
    return outline
  }

  part(shown: SessionSnapshot, id: string, i: number): UserPart | AssistantPart | undefined {
    const message = this.#find(shown, id)?.message
    return message === undefined || message.role === 'note' ? undefined : message.parts[i]
  }

  call({ state }: SessionSnapshot, callId: string): CallItem | undefined {
    const known = this.#calls.get(callId)
    if (known !== undefined) return known
    const { history, pending, live } = state
    const part = callIn(pending.message, callId) ?? callIn(this.#index.messageOfCall(history, callId), callId)
    const running = own(live.calls, callId)
    const open = own(pending.calls, callId)
    if (part === undefined && running === undefined && open === undefined) return undefined
    const item = { callId, ...(part && { part }), ...(running && { live: running }), ...(open && { pending: open }) }
    this.#calls.set(callId, item)
    return item
  }

  /** Forgets what was made of a cell that changed. */
  forget(cell: string): void {
    if (cell.startsWith('message:')) this.#outlines.delete(cell.slice('message:'.length))
    else if (cell.startsWith('call:')) this.#calls.delete(cell.slice('call:'.length))
  }

  clear(): void {
    this.#outlines.clear()
    this.#calls.clear()
  }

  #find({ state, outbox }: SessionSnapshot, id: string): MessageItem | undefined {
    const reply = state.pending.message
    if (reply?.id === id) return itemOf(reply, 'streaming')
    const committed = this.#index.message(state.history, id)
    if (committed !== undefined) return itemOf(committed, 'committed')
    return outbox.find((entry) => entry.id === id)
  }
}

/** Ids come from outside: one may be the name of a property every object has. */
function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}

function outlineOf({ message, status, error }: MessageItem): MessageOutline {
  const parts = message.role === 'note' ? [] : message.parts.map(partOutline)
  return { ...message, status, ...(error && { error }), parts }
}

function partOutline(part: UserPart | AssistantPart): PartOutline {
  return part.type === 'tool-call' ? { type: part.type, callId: part.callId } : { type: part.type }
}

function callIn(message: Message | undefined, callId: string): ToolCallPart | undefined {
  if (message?.role !== 'assistant') return undefined
  return message.parts.find((part): part is ToolCallPart => part.type === 'tool-call' && part.callId === callId)
}
