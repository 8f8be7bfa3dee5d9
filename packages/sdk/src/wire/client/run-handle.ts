import { type Receipt, runIdOf } from '../../protocol/commands.ts'
import { type ErrorInfo, errorInfo, SessionError } from '../../protocol/errors.ts'
import type { AgentEvent } from '../../protocol/events.ts'
import { RunOutcome, textOf } from '../../protocol/run-outcome.ts'
import type { Run, RunResult } from '../../protocol/session.ts'
import type { Feed } from './feed.ts'
import type { LogSource } from './log.ts'
import { readEvents } from './reader.ts'
import { isStart } from './run-starts.ts'

export interface RunHandleOptions {
  readonly feed: Feed
  readonly source: LogSource
  readonly runId: string
  readonly signal?: AbortSignal
  /** The command that is to start it; none where it is only followed. */
  readonly commandId?: string
  /** The command's id was never used before, and gives the run its name. */
  readonly isNew: boolean
  /** Stops the run when `signal` says so. */
  stop(runId: string): void
}

/** When a run that has started has to be seen: later it is looked for in the log, from its beginning. */
const LATE_MS = 5_000

/** A run that is about to be asked for. `start` gives the receipt. */
export function startRun(options: RunHandleOptions, start: () => Promise<Receipt>): Run {
  const { signal } = options
  const handle = new RemoteRun(options)
  if (signal?.aborted) {
    handle.refuse(new SessionError('session.aborted', 'The signal was aborted before the run could start.'))
    return handle
  }
  const stop = (): void => options.stop(handle.id)
  signal?.addEventListener('abort', stop)
  void handle.result.then(() => signal?.removeEventListener('abort', stop))
  handle.watch()
  start().then(
    (receipt) => handle.answer(receipt),
    (thrown) => handle.refuse(thrown),
  )
  return handle
}

/** Any run of the session, past, open or still queued. */
export function followRun(options: RunHandleOptions): Run {
  const handle = new RemoteRun(options)
  handle.watch()
  return handle
}

class RemoteRun implements Run {
  readonly result: Promise<RunResult>
  #id: string
  #settle!: (result: RunResult) => void
  /** Settles when the run's first event is known, or when there will be none. */
  readonly #begun: Promise<void>
  #begin!: () => void
  /** The seq of the run's first event. */
  #startSeq: number | undefined
  readonly #outcome = new RunOutcome()
  /** Reads the run for its result. */
  #reader: AsyncIterableIterator<AgentEvent> | undefined
  readonly #over = new AbortController()
  readonly #options: RunHandleOptions

  constructor(options: RunHandleOptions) {
    this.#id = options.runId
    this.#options = options
    this.#begun = new Promise((resolve) => {
      this.#begin = resolve
    })
    this.result = new Promise((resolve) => {
      this.#settle = resolve
    })
    const unsubscribe = options.feed.subscribe((_state, { fault }) => {
      if (fault !== undefined && this.#startSeq !== undefined) this.refuse(fault)
    })
    void this.result.then(unsubscribe)
  }

  get id(): string {
    return this.#id
  }

  [Symbol.asyncIterator](): AsyncIterator<AgentEvent> {
    const { feed, source, isNew } = this.#options
    return readEvents({
      feed,
      source,
      ...(!isNew && { ready: this.#begun }),
      after: () => this.#after(),
      pick: (event) => (event.runId !== this.#id ? 'no' : event.type === 'finish' ? 'last' : 'yes'),
      signal: this.#over.signal,
    })
  }

  text(): Promise<string> {
    return textOf(this.result)
  }

  /** Reads the run from its beginning, or from where it will begin. */
  watch(): void {
    void this.#reader?.return?.()
    const { feed, source } = this.#options
    const reader = readEvents({
      feed,
      source,
      after: () => this.#after(),
      pick: (event) => (!this.#concerns(event) ? 'no' : event.type === 'finish' ? 'last' : 'yes'),
      onCaughtUp: () => this.#isUnknown() && this.refuse(this.#unknown()),
      signal: this.#over.signal,
    })
    this.#reader = reader
    void this.#readAll(reader)
  }

  /** The session's answer to what was to start this run. */
  answer({ status, error, runId }: Receipt): void {
    if (status === 'refused') {
      return this.refuse(error ?? { code: 'internal', message: 'It was refused without a reason.', retryable: false })
    }
    if (status === 'accepted' || this.#startSeq !== undefined) return
    const { feed, source, isNew } = this.#options
    if (runId !== undefined && runId !== this.#id) {
      // `continue()` took an input that was waiting: its run has the input's name.
      feed.starts.rename(this.#id, runId)
      this.#id = runId
      this.watch()
    }
    if (isNew) return
    // The same command again, perhaps: then the run began before this handle looked.
    const { clock } = source.environment
    const cancel = clock.setTimer(() => this.#lookBack(), LATE_MS, { background: true })
    void this.#begun.then(cancel)
  }

  #lookBack(): void {
    this.#options.feed.starts.forget(this.#id)
    this.watch()
  }

  /** Nothing more will come of it. */
  refuse(why: unknown): void {
    const error = why instanceof Error ? errorInfo(why) : (why as ErrorInfo)
    const { usage } = this.#options.feed.state
    const { run, total } = usage
    const spent = this.#startSeq === undefined ? { total } : { run, total }
    this.#end(this.#outcome.refused(this.#id, error, spent))
    this.#over.abort()
  }

  #after(): number {
    const { feed, commandId } = this.#options
    if (this.#startSeq !== undefined) return this.#startSeq - 1
    if (commandId !== undefined) feed.expect(commandId)
    return feed.starts.after(this.#id, feed.cursor)
  }

  async #readAll(reader: AsyncIterableIterator<AgentEvent>): Promise<void> {
    try {
      for await (const event of reader) if (this.#reader === reader) this.#take(event)
    } catch (thrown) {
      if (this.#reader === reader) this.refuse(thrown)
    }
  }

  #concerns(event: AgentEvent): boolean {
    return event.runId === this.#id || (event.type === 'input-returned' && runIdOf(event.inputId) === this.#id)
  }

  #isUnknown(): boolean {
    const { feed } = this.#options
    const { run, pending } = feed.state
    const waiting = [...pending.lanes.queue, ...pending.lanes.steer]
    return !feed.starts.knows(this.#id) && run?.id !== this.#id && !waiting.some(({ id }) => runIdOf(id) === this.#id)
  }

  #unknown(): SessionError {
    return new SessionError('session.unknown-run', `The session has no run ${this.#id}.`)
  }

  #take(event: AgentEvent): void {
    if (this.#startSeq === undefined && isStart(event)) {
      this.#startSeq = event.seq
      this.#begin()
    }
    if (event.type === 'input-returned') {
      if (runIdOf(event.inputId) !== this.#id) return
      return this.refuse(new SessionError('session.aborted', 'The input was handed back before its run could start.'))
    }
    const result = this.#outcome.take(event)
    if (result !== undefined) this.#end(result)
  }

  #end(result: RunResult): void {
    this.#settle(result)
    this.#begin()
  }
}
