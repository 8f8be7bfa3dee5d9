import { type Receipt, runIdOf } from '../../protocol/commands.ts'
import { type ErrorInfo, errorInfo, errorOf, type StepwellError } from '../../protocol/errors.ts'
import type { AgentEvent } from '../../protocol/events.ts'
import { RunOutcome, textOf } from '../../protocol/run-outcome.ts'
import type { EventReader, Run, RunResult } from '../../protocol/session.ts'
import type { Feed } from './feed.ts'
import type { Http } from './http.ts'
import { readEvents, startOf } from './reader.ts'

/** The command that is to start a run. */
export interface StartCommand {
  readonly commandId: string
  /** The command's id was never used before, and gives the run its name. */
  readonly isNew: boolean
  readonly receipt: Promise<Receipt>
  /** Called when the run is over. */
  onEnd(): void
}

export interface RunHandleOptions {
  readonly feed: Feed
  readonly http: Http
  readonly runId: string
  /** Absent where the run is only followed. */
  readonly start?: StartCommand | undefined
}

/** When a run that has started has to be seen: later it is looked for in the log, from its beginning. */
const LATE_MS = 5_000

/** Any run of the session, past, open or still queued, or one that is being asked for. */
export function runHandle(options: RunHandleOptions): Run {
  const handle = new RemoteRun(options)
  handle.watch()
  const { start } = options
  start?.receipt.then(
    (receipt) => handle.answer(receipt),
    (thrown) => handle.refuse(thrown),
  )
  void handle.result.then(start?.onEnd)
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
  /** It has to be looked for in the whole log. */
  #isLate = false
  /** Reads the run for its result. */
  #reader: EventReader | undefined
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

  [Symbol.asyncIterator](): EventReader {
    const { feed, http, start } = this.#options
    return readEvents({
      feed,
      http,
      ...(!start?.isNew && { ready: this.#begun }),
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
    void this.#reader?.return()
    const { feed, http, start } = this.#options
    const reader = readEvents({
      feed,
      http,
      // Whether its id was used before, and what the run is called, the receipt tells.
      ready: start?.isNew ? undefined : start?.receipt.catch(() => {}),
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
    const { http, start } = this.#options
    if (runId !== undefined && runId !== this.#id) {
      // `continue()` took an input that was waiting: its run has the input's name.
      this.#id = runId
      this.watch()
    }
    if (start?.isNew) return
    // The same command again, perhaps: then the run began before this handle looked.
    const { clock } = http.environment
    const cancel = clock.setTimer(() => this.#lookBack(), LATE_MS, { background: true })
    void this.#begun.then(cancel)
  }

  #lookBack(): void {
    this.#isLate = true
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
    const { feed, start } = this.#options
    if (this.#startSeq !== undefined) return this.#startSeq - 1
    if (this.#isLate) return 0
    // Nothing can be there of what is still to be sent. What goes on with an input that waited begins where that was asked.
    const asked = start?.isNew ? feed.cursor : feed.sent.get(runIdOf(start?.commandId ?? ''))
    return startOf(feed, this.#id) ?? asked ?? 0
  }

  async #readAll(reader: EventReader): Promise<void> {
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
    const { feed, start } = this.#options
    const { run, pending } = feed.state
    const waiting = [...pending.lanes.queue, ...pending.lanes.steer]
    if (start !== undefined && !this.#isLate) return false
    return !feed.sent.has(this.#id) && run?.id !== this.#id && !waiting.some(({ id }) => runIdOf(id) === this.#id)
  }

  #unknown(): StepwellError {
    return errorOf('session.unknown-run', `The session has no run ${this.#id}.`)
  }

  #take(event: AgentEvent): void {
    // Nothing of a run comes before its start.
    if (this.#startSeq === undefined && event.runId === this.#id) {
      this.#startSeq = event.seq
      this.#begin()
    }
    if (event.type === 'input-returned') {
      if (runIdOf(event.inputId) !== this.#id) return
      return this.refuse(errorOf('session.aborted', 'The input was handed back before its run could start.'))
    }
    const result = this.#outcome.take(event)
    if (result !== undefined) this.#end(result)
  }

  #end(result: RunResult): void {
    this.#settle(result)
    this.#begin()
  }
}
