import { type Receipt, runIdOf } from '../protocol/commands.ts'
import { errorInfo, SessionError } from '../protocol/errors.ts'
import { type AgentEvent, type EventBatch, isDelta } from '../protocol/events.ts'
import { RunOutcome, textOf } from '../protocol/run-outcome.ts'
import type { Run, RunResult } from '../protocol/session.ts'
import type { SessionStore } from '../stores/store.ts'
import type { Hub } from './hub.ts'
import type { SoughtRun } from './look-up-run.ts'
import { readEvents } from './reader.ts'

export interface RunHandleOptions {
  readonly hub: Hub
  readonly store: SessionStore
  readonly runId: string
  readonly signal?: AbortSignal
  /** Stops the run when `signal` says so. */
  stop(runId: string): void
}

type Shown = Pick<EventBatch, 'events' | 'fault'>

/** A run that is about to be asked for. `start` gives the receipt. */
export function startRun(options: RunHandleOptions, start: () => Promise<Receipt>): Run {
  const { signal } = options
  const handle = new RunHandle(options)
  const stop = (): void => options.stop(handle.id)
  void handle.result.then(() => signal?.removeEventListener('abort', stop))
  if (signal?.aborted) {
    handle.refuse(new SessionError('session.aborted', 'The signal was aborted before the run could start.'))
    return handle
  }
  signal?.addEventListener('abort', stop)
  start().then(
    (receipt) => handle.answer(receipt),
    (thrown) => handle.refuse(thrown),
  )
  return handle
}

/** Any run of the session, past, open or still queued. */
export function followRun(options: RunHandleOptions): Run {
  const handle = new RunHandle(options, true)
  void handle.lookUp()
  return handle
}

class RunHandle implements Run, SoughtRun {
  readonly result: Promise<RunResult>
  #id: string
  #settle!: (result: RunResult) => void
  /** Settles when the run's first event is known, or when there will be none. */
  readonly #begun: Promise<void>
  #begin!: () => void
  /** The seq of the run's first event. */
  #startSeq: number | undefined
  #seen = 0
  readonly #outcome = new RunOutcome()
  /** What was shown while the store is searched. */
  #meanwhile: Shown[] | undefined
  readonly #over = new AbortController()
  readonly #options: RunHandleOptions

  constructor(options: RunHandleOptions, isAwaited = false) {
    this.#id = options.runId
    this.#options = options
    this.#begun = new Promise((resolve) => {
      this.#begin = resolve
    })
    this.result = new Promise((resolve) => {
      this.#settle = resolve
    })
    const closed = new SessionError('session.closed', 'The session was closed here; the run is left to its next owner.')
    const unsubscribe = options.hub.feed.subscribe(
      (_state, batch) => this.#see(batch),
      () => this.refuse(closed),
      isAwaited,
    )
    void this.result.then(unsubscribe)
  }

  get id(): string {
    return this.#id
  }

  [Symbol.asyncIterator](): AsyncIterator<AgentEvent> {
    const { hub, store } = this.#options
    const ready = hub.ready.then(() => this.#begun)
    ready.catch(() => {})
    return readEvents({
      feed: hub.feed,
      store,
      ready,
      after: () => (this.#startSeq ?? 1) - 1,
      pick: (event) => (event.runId !== this.#id ? 'no' : event.type === 'finish' ? 'last' : 'yes'),
      signal: this.#over.signal,
    })
  }

  text(): Promise<string> {
    return textOf(this.result)
  }

  /** The session's answer to what was to start this run. */
  answer({ commandId, status, error, runId }: Receipt): void {
    if (status === 'refused') {
      return this.refuse(error ?? { code: 'internal', message: 'It was refused without a reason.', retryable: false })
    }
    if (status === 'accepted') {
      // A refusal is no event: it is seen in the receipt alone.
      const later = this.#options.hub.receiptOf(commandId)
      return void later.then(
        (receipt) => receipt && this.answer(receipt),
        (thrown) => this.refuse(thrown),
      )
    }
    // `continue()` took an input that was waiting: its run has the input's name.
    if (runId !== undefined) this.#id = runId
    // The same command again: the run began before this handle looked.
    if (this.#startSeq === undefined) void this.lookUp()
  }

  /** Finds a run that this handle did not see begin. */
  async lookUp(): Promise<void> {
    const { hub, store } = this.#options
    const meanwhile: Shown[] = []
    this.#meanwhile = meanwhile
    try {
      await hub.ready
      const { lookUpRun } = await import('./rare.ts')
      await lookUpRun(this, hub.feed, store, meanwhile)
    } catch (thrown) {
      this.refuse(thrown)
    }
    this.#meanwhile = undefined
    for (const shown of meanwhile) this.#see(shown)
  }

  /** A run begins with the input it was started by, or else with its `run-start`. */
  isStart(event: AgentEvent): boolean {
    if (event.runId !== this.#id) return false
    return event.type === 'run-start' || (event.type === 'input' && event.lane === 'start')
  }

  #see(shown: Shown): void {
    if (this.#meanwhile !== undefined) {
      this.#meanwhile.push(shown)
      return
    }
    for (const event of shown.events) {
      if (isDelta(event)) continue
      if (event.type === 'input-returned' && runIdOf(event.inputId) === this.#id) {
        this.refuse(new SessionError('session.aborted', 'The input was handed back before its run could start.'))
      } else if (event.runId === this.#id && event.seq > this.#seen) {
        this.take(event)
      }
    }
    if (shown.fault !== undefined && this.#startSeq !== undefined) this.refuse(shown.fault)
  }

  /** Nothing more will come of it. */
  refuse(why: unknown): void {
    const error = why instanceof Error ? errorInfo(why) : (why as RunResult['error'])
    const { usage } = this.#options.hub.feed.state
    const { run, total } = usage
    const spent = this.#startSeq === undefined ? { total } : { run, total }
    this.#settle(this.#outcome.refused(this.#id, error, spent))
    this.#begin()
    this.#over.abort()
  }

  /** Hears of every event of the run, in order. */
  take(event: AgentEvent): void {
    if (this.#startSeq === undefined) {
      if (!this.isStart(event)) return
      this.#startSeq = event.seq
      this.#begin()
    }
    this.#seen = event.seq
    const result = this.#outcome.take(event)
    if (result !== undefined) this.#settle(result)
  }
}
