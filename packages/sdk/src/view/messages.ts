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
import type { OutboxEntry } from './outbox.ts'
import { own, type Shown } from './shown.ts'

/** `streaming`: the reply that is being written. The first three are those of the outbox. */
export type MessageStatus = OutboxEntry['status'] | 'streaming' | 'committed'

/** A message of the list. Its id is the same from the outbox to the history. */
export interface MessageItem {
  readonly id: string
  readonly status: MessageStatus
  readonly message: Message
  /** Why it could not be sent. */
  readonly error?: ErrorInfo
}

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

/** Finds and makes what a view shows of messages, each once as long as it does not change. */
export class Messages {
  readonly #index = new HistoryIndex()
  readonly #items = new WeakMap<object, MessageItem>()
  readonly #outlines = new Map<string, MessageOutline>()
  readonly #calls = new Map<string, CallItem>()
  #history:
    | { readonly of: readonly Message[]; readonly start: number; readonly items: readonly MessageItem[] }
    | undefined

  /** Everything shown, in order. */
  list({ state, start, outbox }: Shown): readonly MessageItem[] {
    const reply = state.pending.message
    return [
      ...this.#historyItems(state.history, start),
      ...(reply ? [this.#item(reply, 'streaming')] : []),
      ...outbox.map((entry) => this.#waitingItem(entry)),
    ]
  }

  outline(shown: Shown, id: string): MessageOutline | undefined {
    const known = this.#outlines.get(id)
    if (known !== undefined) return known
    const item = this.#find(shown, id)
    if (item === undefined) return undefined
    const outline = outlineOf(item)
    this.#outlines.set(id, outline)
    return outline
  }

  part(shown: Shown, id: string, i: number): UserPart | AssistantPart | undefined {
    const message = this.#find(shown, id)?.message
    return message === undefined || message.role === 'note' ? undefined : message.parts[i]
  }

  call(shown: Shown, callId: string): CallItem | undefined {
    const known = this.#calls.get(callId)
    if (known !== undefined) return known
    const { history, pending, live } = shown.state
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

  #find({ state, outbox }: Shown, id: string): MessageItem | undefined {
    const reply = state.pending.message
    if (reply?.id === id) return this.#item(reply, 'streaming')
    const committed = this.#index.message(state.history, id)
    if (committed !== undefined) return this.#item(committed, 'committed')
    const entry = outbox.find((waiting) => waiting.id === id)
    return entry && this.#waitingItem(entry)
  }

  #historyItems(history: readonly Message[], start: number): readonly MessageItem[] {
    if (this.#history?.of !== history || this.#history.start !== start) {
      const items = history.slice(start).map((message) => this.#item(message, 'committed'))
      this.#history = { of: history, start, items }
    }
    return this.#history.items
  }

  #item(message: Message, status: 'streaming' | 'committed'): MessageItem {
    return this.#kept(message, status, () => ({ id: message.id, status, message }))
  }

  #waitingItem(entry: OutboxEntry): MessageItem {
    const { id, status, message, error } = entry
    return this.#kept(entry, status, () => ({ id, status, message, ...(error && { error }) }))
  }

  #kept(of: object, status: MessageStatus, make: () => MessageItem): MessageItem {
    const known = this.#items.get(of)
    if (known?.status === status) return known
    const item = make()
    this.#items.set(of, item)
    return item
  }
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
