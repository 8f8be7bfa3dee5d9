import type { Logger } from '../../agent/runtime.ts'
import { runIdOf } from '../../protocol/commands.ts'
import { SessionError, type StepwellError, thrownText } from '../../protocol/errors.ts'
import type { EventBatch } from '../../protocol/events.ts'
import { reduce } from '../../protocol/reduce.ts'
import type { Connection } from '../../protocol/remote-session.ts'
import { generationOf } from '../../protocol/seq.ts'
import { initialState, type SessionState } from '../../protocol/state.ts'
import { RunStarts } from './run-starts.ts'

export type Listener = (state: SessionState, batch: EventBatch) => void
type OnEnd = (why: StepwellError) => void

/** A session as the server has it: `before` is there when there are messages before the first of the history. */
export interface Snapshot {
  readonly state: SessionState
  readonly before?: string
}

export interface FeedOptions {
  /** The session as the server has it now. */
  read(): Promise<Snapshot>
  /** Somebody listens from now on; the removal is called when nobody does. */
  attach(feed: Feed): () => void
  readonly logger: Logger
}

const REPLACED = 'The server has another log under this id: what was read before is not part of it.'

const IDLE: Connection = { status: 'connecting' }

/** What a client knows of a session: one for all its handles, fed by the shared connection while anyone listens. */
export class Feed {
  state: SessionState
  /** How far it has been read: the head of the last batch, which may be above the last event. */
  cursor = 0
  connection: Connection = IDLE
  /** Whether there are messages before the first of the history. */
  hasBefore = false
  readonly starts = new RunStarts()
  /** Requests that a tool here answers or has answered. */
  readonly answering = new Set<string>()
  #loaded: Promise<void> | undefined
  #isLoaded = false
  #ended: StepwellError | undefined
  readonly #listeners = new Set<{ readonly listener: Listener; readonly onEnd: OnEnd | undefined }>()
  readonly #onConnection = new Set<() => void>()
  #detach: (() => void) | undefined
  readonly #options: FeedOptions

  constructor(id: string, options: FeedOptions) {
    this.state = initialState(id)
    this.#options = options
  }

  get id(): string {
    return this.state.id
  }

  /** Why nothing more will come, of a session that is gone. */
  get ended(): StepwellError | undefined {
    return this.#ended
  }

  get isLoaded(): boolean {
    return this.#isLoaded
  }

  /** Reads the session once; after a failure again. */
  load(): Promise<void> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended)
    this.#loaded ??= this.reload().catch((thrown: unknown) => {
      this.#loaded = undefined
      throw thrown
    })
    return this.#loaded
  }

  /** Reads the session as it is now, where its events cannot be followed. */
  async reload(): Promise<void> {
    const { state, before } = await this.#options.read()
    if (state.seq < this.cursor) this.#endWaiting(new SessionError('session.not-found', REPLACED))
    const kept = this.#isLoaded ? olderThan(this.state, state) : []
    this.state = { ...state, history: kept.length > 0 ? [...kept, ...state.history] : state.history }
    if (kept.length === 0) this.hasBefore = before !== undefined
    this.#isLoaded = true
    this.cursor = state.seq
    this.starts.jumped()
    this.#show({ prev: state.seq, head: state.seq, events: [] })
  }

  /** A command is about to be sent. Unless its input is there already, nothing of it is in what was read. */
  expect(commandId: string): void {
    const { history, pending } = this.state
    const inputs = [...pending.lanes.steer, ...pending.lanes.queue, ...history]
    if (inputs.some(({ id }) => id === commandId)) return
    this.starts.expect([commandId, runIdOf(commandId)], this.cursor)
  }

  /** A batch from the server: late, twice or from a stale owner. False after a hole: then it has to be read again. */
  receive(batch: EventBatch): boolean {
    if (generationOf(batch.head) < generationOf(this.cursor)) return true
    if (batch.prev > this.cursor) return false
    const prev = this.cursor
    const events = batch.events.filter((event) => event.seq > prev)
    this.cursor = Math.max(prev, batch.head)
    if (events.length === 0 && batch.fault === undefined) return true
    this.state = reduce(this.state, events)
    if (batch.fault !== undefined) this.state = { ...this.state, live: { ...this.state.live, fault: batch.fault } }
    this.starts.note(events)
    this.#show({ ...batch, prev, head: this.cursor, events })
    return true
  }

  /** Puts messages that were read before those of the history, unless that begins elsewhere by now. */
  prepend(messages: SessionState['history'], before: string, hasBefore: boolean): void {
    if (this.state.history[0]?.id !== before) return
    this.hasBefore = hasBefore
    this.state = { ...this.state, history: [...messages, ...this.state.history] }
    this.#show({ prev: this.cursor, head: this.cursor, events: [] })
  }

  /** `onEnd` is called when nothing comes any more, or not without the caller's doing: with why. */
  subscribe(listener: Listener, onEnd?: OnEnd): () => void {
    if (this.#ended !== undefined) {
      onEnd?.(this.#ended)
      return () => {}
    }
    const entry = { listener, onEnd }
    this.#listeners.add(entry)
    this.#detach ??= this.#options.attach(this)
    return () => {
      if (this.#listeners.delete(entry)) this.#leaveIfAlone()
    }
  }

  subscribeConnection(listener: () => void): () => void {
    const own = (): void => listener()
    this.#onConnection.add(own)
    return () => void this.#onConnection.delete(own)
  }

  /** What the shared connection is doing. */
  connected(connection: Connection): void {
    if (connection.status === 'live' && this.connection.status === 'live') return
    this.connection = connection
    for (const listener of [...this.#onConnection]) this.#guarded(listener)
  }

  /** Trying again will not help before something changes: who waits for an end need not wait. */
  fail(why: StepwellError): void {
    this.connected({ status: 'failed', error: why.toJSON() })
    this.#endWaiting(why)
  }

  /** Nothing more comes, ever: the session is gone, or the client is closed. */
  end(why: StepwellError, status: 'failed' | 'closed'): void {
    if (this.#ended !== undefined) return
    this.#ended = why
    this.connected(status === 'failed' ? { status, error: why.toJSON() } : { status })
    this.#endWaiting(why)
    this.#listeners.clear()
    this.#leaveIfAlone()
  }

  #endWaiting(why: StepwellError): void {
    for (const entry of [...this.#listeners]) {
      if (entry.onEnd === undefined) continue
      this.#listeners.delete(entry)
      this.#guarded(() => entry.onEnd?.(why))
    }
    this.#leaveIfAlone()
  }

  #leaveIfAlone(): void {
    if (this.#listeners.size > 0) return
    this.#detach?.()
    this.#detach = undefined
  }

  #show(batch: EventBatch): void {
    for (const { listener } of [...this.#listeners]) this.#guarded(() => listener(this.state, batch))
  }

  /** A listener that throws harms nobody else. */
  #guarded(call: () => void): void {
    try {
      call()
    } catch (thrown) {
      this.#options.logger.log('error', 'A listener of a session threw', { error: thrownText(thrown) })
    }
  }
}

/** The messages loaded before that a newer window leaves out. Only where nothing of them can have changed. */
function olderThan(known: SessionState, { history }: Snapshot['state']): SessionState['history'] {
  const first = known.history.findIndex(({ id }) => id === history[0]?.id)
  if (first <= 0) return []
  const older = known.history.slice(0, first)
  const open = new Set(Object.values(known.pending.calls).map(({ messageId }) => messageId))
  return older.some(({ id }) => open.has(id)) ? [] : older
}
