import type { AssistantMessage, NoteMessage, UserMessage } from '@stepwell/sdk'
import type { MessageItem, OutboxEntry, SessionSnapshot, SessionView } from '@stepwell/sdk/view'
import { type ReplyStatus, replyStatus, sameStatus } from './reply-status.ts'

/** What is known of calls that have no result yet. */
export interface OpenCalls {
  readonly requests: SessionSnapshot['requests']
  readonly live: SessionSnapshot['state']['live']['calls']
}

/** All that one run said in a row: assistant-ui shows it as one message, called by its first one. */
export interface ReplyEntry {
  readonly role: 'assistant'
  readonly id: string
  readonly at: number
  readonly messages: readonly AssistantMessage[]
  readonly status: ReplyStatus
  /** Of the last reply while a run is open. */
  readonly open?: OpenCalls
}

export type PlainEntry = MessageItem & { readonly message: UserMessage | NoteMessage }

/** One message of assistant-ui. The same object as long as it shows the same. */
export type Entry = ReplyEntry | PlainEntry

export function isReply(entry: Entry): entry is ReplyEntry {
  return 'role' in entry
}

/** A session's messages as assistant-ui has them. */
export class Transcript {
  #replies = new Map<string, ReplyEntry>()
  #shown: { readonly of: SessionSnapshot; readonly entries: readonly Entry[] } | undefined
  readonly #waits = new WeakMap<UserMessage, boolean>()

  entries(snapshot: SessionSnapshot): readonly Entry[] {
    if (this.#shown?.of === snapshot) return this.#shown.entries
    const entries = kept(this.#shown?.entries, this.#list(snapshot))
    this.#shown = { of: snapshot, entries }
    return entries
  }

  /** What was sent while a run was open is shown as waiting, like what has arrived in its lane. */
  waiting({ outbox, run }: SessionSnapshot): readonly OutboxEntry[] {
    return outbox.filter(({ message, mode, status }) => {
      const waits = this.#waits.get(message) ?? (run !== undefined && mode !== 'run')
      this.#waits.set(message, waits)
      return waits && status !== 'failed'
    })
  }

  /** The last message of the history that is part of an entry. */
  lastMessageId(entryId: string): string {
    return this.#replies.get(entryId)?.messages.at(-1)?.id ?? entryId
  }

  #list(snapshot: SessionSnapshot): readonly Entry[] {
    const waiting = new Set(this.waiting(snapshot).map(({ id }) => id))
    const rows: (PlainEntry | AssistantMessage[])[] = []
    for (const item of snapshot.messages) {
      const { message } = item
      const last = rows.at(-1)
      if (message.role !== 'assistant') {
        if (!waiting.has(item.id)) rows.push(item as PlainEntry)
      } else if (Array.isArray(last) && last[0]?.runId === message.runId) last.push(message)
      else rows.push([message])
    }
    const lastReply = rows.findLastIndex((row) => Array.isArray(row))
    const entries = rows.map((row, i) =>
      Array.isArray(row) ? this.#reply(row, snapshot, i === lastReply, i === rows.length - 1) : row,
    )
    this.#replies = new Map(entries.filter(isReply).map((entry) => [entry.id, entry]))
    return [...entries, ...failure(snapshot, entries.at(-1), this.#shown?.entries.at(-1))]
  }

  #reply(
    messages: readonly AssistantMessage[],
    snapshot: SessionSnapshot,
    isLastReply: boolean,
    isLast: boolean,
  ): ReplyEntry {
    const [first] = messages
    if (first === undefined) throw new Error('A reply has a message.')
    const before = this.#replies.get(first.id)
    const { state, requests } = snapshot
    const status = replyStatus({ messages, snapshot, isLastReply, isLast })
    const hasOpen = isLastReply && snapshot.run !== undefined && snapshot.run.id === messages.at(-1)?.runId
    const isSame =
      before !== undefined &&
      sameList(before.messages, messages) &&
      sameStatus(before.status, status) &&
      before.open?.requests === (hasOpen ? requests : undefined) &&
      before.open?.live === (hasOpen ? state.live.calls : undefined)
    if (isSame) return before
    const open = hasOpen && { open: { requests, live: state.live.calls } }
    return { role: 'assistant', id: first.id, at: first.at, messages, status, ...open }
  }
}

/** A run that failed before it said anything: without a message of its own nobody would see why. */
function failure(
  { status, lastFinish }: SessionSnapshot,
  last: Entry | undefined,
  before: Entry | undefined,
): readonly ReplyEntry[] {
  if (status !== 'idle' || lastFinish?.error === undefined || last === undefined || isReply(last)) return []
  if (last.message.runId !== lastFinish.runId) return []
  const id = `${lastFinish.runId}/failed`
  if (before !== undefined && isReply(before) && before.id === id) return [before]
  const error = lastFinish.error.message
  return [
    {
      role: 'assistant',
      id,
      at: lastFinish.at,
      messages: [],
      status: { type: 'incomplete', reason: 'error', error },
    },
  ]
}

function kept(before: readonly Entry[] | undefined, now: readonly Entry[]): readonly Entry[] {
  return before !== undefined && sameList(before, now) ? before : now
}

function sameList<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i])
}

const transcripts = new WeakMap<SessionView, Transcript>()

export function transcriptOf(view: SessionView): Transcript {
  const known = transcripts.get(view)
  if (known !== undefined) return known
  const transcript = new Transcript()
  transcripts.set(view, transcript)
  return transcript
}
