import type { Logger } from '../../agent/runtime.ts'
import { type Receipt, runIdOf } from '../../protocol/commands.ts'
import { errorOf, SessionError, type StepwellError, thrownText } from '../../protocol/errors.ts'
import type { EventBatch } from '../../protocol/events.ts'
import { hasCode } from '../../protocol/has-code.ts'
import { reduce } from '../../protocol/reduce.ts'
import type { Connection } from '../../protocol/remote-session.ts'
import { initialState, type SessionState } from '../../protocol/state.ts'
import type { SentCommand } from './commands.ts'
import type { Http } from './http.ts'

type Listener = (state: SessionState, batch: EventBatch) => void

/** Commands whose place in the log is remembered. */
const KEPT = 2_000

export interface FeedOptions {
  readonly http: Http
  /** Somebody listens from now on; the removal is called a while after nobody does any more. */
  attach(feed: Feed): () => void
  /** How long that while is. */
  readonly releaseMs: number
  readonly logger: Logger | undefined
}

/** What a client knows of a session: one for all its handles, fed by the shared connection while anyone listens. */
export interface Feed {
  readonly id: string
  /** Where the server has it, below the mount path. */
  readonly path: string
  readonly state: SessionState
  /** How far it has been read: the head of the last batch, which may be above the last event. 0 before it was read at all. */
  readonly cursor: number
  readonly connection: Connection
  /** Whether there are messages before the first of the history. */
  readonly hasBefore: boolean
  /** Makes the session where it is not there: of the first handle that may. */
  create?: (() => Promise<unknown>) | undefined
  /** Why nothing comes, as long as its connection is `failed` or `closed`. */
  readonly failure: unknown
  /** Whether nothing will come ever again. */
  readonly isOver: boolean
  /**
   * Of the commands that were sent here and may start a run, `cursor` before that, by the run's id: nothing of the run is
   * at or below it. Another map when the server has another log under this id: what was read before is not part of it.
   */
  readonly sent: ReadonlyMap<string, number>
  /** Reads the session once; after a failure again. */
  load(): Promise<void>
  /** Reads the session as it is now, where its events cannot be followed. */
  reload(): Promise<void>
  /** Messages from before those of the history, and whether there are more. */
  prepend(older: SessionState['history'], hasBefore: boolean): void
  /**
   * Makes and sends a command after those that were given before: they arrive in that order. Resolves with the receipt, a
   * refusal's too. One that may not have arrived is sent again under its id; rejects with `wire.unreachable` when that
   * did not help, and with the server's error.
   */
  submit(command: () => SentCommand | Promise<SentCommand>): Promise<Receipt>
  /** A batch from the server: late, twice or from a stale owner. False after a hole: then it has to be read again. */
  receive(batch: EventBatch): boolean
  subscribe(listener: Listener): () => void
  subscribeConnection(listener: () => void): () => void
  /** What the shared connection is doing. `failure`: trying again will not help before something changes. */
  connected(connection: Connection, failure?: unknown): void
  /** Nothing more comes, ever: the session is gone, or the client is closed. */
  end(why: StepwellError, status?: 'failed' | 'closed'): void
}

export function createFeed(id: string, { http, attach, releaseMs, logger }: FeedOptions): Feed {
  const path = `/sessions/${encodeURIComponent(id)}`
  let sent = new Map<string, number>()
  const listeners = new Set<{ readonly listener: Listener }>()
  const onConnection = new Set<{ readonly listener: () => void }>()
  let loaded: Promise<void> | undefined
  /** Settles when the last command has been answered. */
  let last: Promise<unknown> = Promise.resolve()
  let detach: (() => void) | undefined
  /** For somebody who listens again before it is detached. */
  let stay = (): void => {}

  const feed: { -readonly [K in keyof Feed]: Feed[K] } = {
    id,
    path,
    state: initialState(id),
    cursor: 0,
    connection: { status: 'connecting' },
    hasBefore: false,
    failure: undefined,
    isOver: false,
    get sent() {
      return sent
    },
    load() {
      if (feed.isOver) return Promise.reject(feed.failure)
      loaded ??= feed.reload()
      return loaded
    },
    async reload() {
      const { state, before } = await read().catch((thrown: unknown) => {
        loaded = undefined
        // It is not there, or not the caller's.
        if (thrown instanceof SessionError && !thrown.retryable) feed.end(thrown)
        throw thrown
      })
      if (state.seq < feed.cursor) sent = new Map()
      const kept = olderThan(feed.state, state)
      if (kept.length === 0) feed.hasBefore = before !== undefined
      feed.cursor = state.seq
      show({ ...state, history: [...kept, ...state.history] })
    },
    prepend(older, hasBefore) {
      feed.hasBefore = hasBefore
      show({ ...feed.state, history: [...older, ...feed.state.history] })
    },
    submit(command) {
      const receipt = last.then(command).then(send)
      last = receipt.catch(() => {})
      return receipt
    },
    receive(batch) {
      const { cursor: prev } = feed
      if (batch.prev > prev) return false
      const events = batch.events.filter((event) => event.seq > prev)
      // An owner that was displaced has nothing to say any more.
      const fault = batch.head < prev ? undefined : batch.fault
      feed.cursor = Math.max(prev, batch.head)
      if (events.length === 0 && !fault) return true
      const state = reduce(feed.state, events)
      show(fault ? { ...state, live: { ...state.live, fault } } : state, { ...batch, prev, head: feed.cursor, events })
      return true
    },
    subscribe(listener) {
      const entry = { listener }
      if (!feed.isOver) {
        stay()
        listeners.add(entry)
        detach ??= attach(feed)
      }
      return () => {
        if (listeners.delete(entry)) leaveIfAlone()
      }
    },
    subscribeConnection(listener) {
      const entry = { listener }
      onConnection.add(entry)
      return () => void onConnection.delete(entry)
    },
    connected(connection, failure) {
      if (connection.status === 'live' && feed.connection.status === 'live') return
      feed.connection = connection
      feed.failure = failure
      for (const { listener } of [...onConnection]) guarded(listener)
    },
    end(why, status = 'failed') {
      feed.isOver = true
      feed.connected({ status, error: why.toJSON() }, why)
      listeners.clear()
      release()
    },
  }

  async function send(command: SentCommand): Promise<Receipt> {
    await feed.load()
    const { history, pending } = feed.state
    const { steer, queue } = pending.lanes
    const runId = runIdOf(command.id)
    // An id of the caller's may have been used before.
    if (sent.size > KEPT) sent.clear()
    if (!sent.has(runId) && ![...steer, ...queue, ...history].some(({ id }) => id === command.id)) {
      sent.set(runId, feed.cursor)
    }
    const answer = (await http.ask('POST', `${path}/commands`, command)) as { receipt?: Receipt } | null
    if (!answer?.receipt) throw errorOf('wire.protocol', 'The answer is no receipt.')
    return answer.receipt
  }

  /** `before` is there when there are messages before the first of the history. */
  function read(): Promise<{ readonly state: SessionState; readonly before?: string }> {
    const ask = () => http.ask('GET', path) as ReturnType<typeof read>
    return ask().catch((thrown: unknown) => {
      if (!feed.create || feed.cursor > 0 || !hasCode(thrown, 'session.not-found')) throw thrown
      return feed.create().then(ask)
    })
  }

  /** A state, with what led to it: nothing, where it is not by events. */
  function show(state: SessionState, batch: EventBatch = { prev: feed.cursor, head: feed.cursor, events: [] }): void {
    feed.state = state
    for (const { listener } of [...listeners]) guarded(() => listener(state, batch))
  }

  function leaveIfAlone(): void {
    if (listeners.size > 0 || !detach) return
    stay()
    const leave = (): void => {
      release()
      feed.connected({ status: 'connecting' })
    }
    stay = http.environment.clock.setTimer(leave, releaseMs, { background: true })
  }

  function release(): void {
    stay()
    detach?.()
    detach = undefined
  }

  /** A listener that throws harms nobody else. */
  function guarded(call: () => void): void {
    try {
      call()
    } catch (thrown) {
      logger?.log('error', 'A session listener threw', { error: thrownText(thrown) })
    }
  }

  return feed
}

/** The messages loaded before that a newer window leaves out. Only where nothing of them can have changed. */
function olderThan(known: SessionState, { history }: SessionState): SessionState['history'] {
  const first = known.history.findIndex(({ id }) => id === history[0]?.id)
  const older = known.history.slice(0, Math.max(first, 0))
  const calls = Object.values(known.pending.calls)
  return older.some(({ id }) => calls.some(({ messageId }) => messageId === id)) ? [] : older
}
