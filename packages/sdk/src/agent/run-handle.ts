import type { Receipt } from '../protocol/commands.ts'
import { errorInfo, SessionError, StepwellError } from '../protocol/errors.ts'
import type { AgentEvent, EventBatch, UsageEvent } from '../protocol/events.ts'
import type { Run, RunResult } from '../protocol/session.ts'
import { messageText } from '../protocol/text.ts'
import { NO_USAGE } from '../protocol/usage.ts'
import type { SessionStore } from '../stores/store.ts'
import type { Hub } from './hub.ts'
import { readEvents } from './reader.ts'

export interface RunHandleOptions {
  readonly hub: Hub
  readonly store: SessionStore
  readonly runId: string
  readonly signal?: AbortSignal
  /** Stops the run when `signal` says so. */
  stop(): void
}

/** A run that is about to be asked for: it sees its own first event. `start` gives the receipt. */
export function startRun(options: RunHandleOptions, start: () => Promise<Receipt>): Run {
  const { hub, runId, signal } = options
  const handle = new RunHandle(options)
  const unsubscribe = hub.feed.subscribe((_state, batch) => handle.see(batch))
  const stop = (): void => options.stop()
  void handle.result.then(() => {
    unsubscribe()
    signal?.removeEventListener('abort', stop)
  })
  if (signal?.aborted) {
    handle.refuse(new SessionError('session.aborted', 'The signal was aborted before the run could start.'))
    return handle
  }
  signal?.addEventListener('abort', stop)
  start().then(
    ({ status, error, runId: started }) => {
      if (status === 'refused') handle.refuse(error ?? { code: 'internal', message: 'Refused.', retryable: false })
      // The same command again: the run is past, or another handle's.
      else if (started === runId && hub.feed.state.run?.id !== runId) void handle.lookUp()
    },
    (thrown) => handle.refuse(thrown),
  )
  return handle
}

/** Any run of the session, past, open or still queued. */
export function followRun(options: RunHandleOptions): Run {
  const handle = new RunHandle(options)
  const unsubscribe = options.hub.feed.subscribe((_state, batch) => handle.see(batch))
  void handle.result.then(unsubscribe)
  void handle.lookUp()
  return handle
}

class RunHandle implements Run {
  readonly id: string
  readonly result: Promise<RunResult>
  #settle!: (result: RunResult) => void
  /** The seq of the run's first event. */
  #startSeq: number | undefined
  #seen = 0
  #text = ''
  #lastStop: UsageEvent['stop'] | undefined
  #lookingUp = false
  readonly #over = new AbortController()
  readonly #options: RunHandleOptions

  constructor(options: RunHandleOptions) {
    this.id = options.runId
    this.#options = options
    this.result = new Promise((resolve) => {
      this.#settle = resolve
    })
  }

  [Symbol.asyncIterator](): AsyncIterator<AgentEvent> {
    const { hub, store } = this.#options
    const after = this.#startSeq !== undefined ? this.#startSeq - 1 : this.#lookingUp ? 0 : 'live'
    const pick = (event: AgentEvent) => {
      if (event.runId !== this.id) return 'no'
      return event.type === 'finish' ? 'last' : 'yes'
    }
    return readEvents({ feed: hub.feed, store, ready: hub.ready, after, pick, signal: this.#over.signal })
  }

  async text(): Promise<string> {
    const { reason, text, error } = await this.result
    if (reason === 'stop') return text
    const message = error?.message ?? `The run ended with "${reason}".`
    throw new StepwellError(error?.code ?? `run.${reason}`, message, { retryable: error?.retryable ?? false })
  }

  see({ events, fault }: Pick<EventBatch, 'events' | 'fault'>): void {
    if (this.#lookingUp) return
    for (const event of events) if (event.runId === this.id && event.seq > this.#seen) this.#take(event)
    if (fault !== undefined && this.#startSeq !== undefined) this.refuse(fault)
  }

  /** Finds a run that this handle did not see begin. */
  async lookUp(): Promise<void> {
    const { hub, store } = this.#options
    this.#lookingUp = true
    try {
      await hub.ready
      const { id, pending, run } = hub.feed.state
      let found: number | undefined
      for await (const batch of store.read(id, { direction: 'backward' })) {
        found = batch.find((event) => event.type === 'run-start' && event.runId === this.id)?.seq
        if (found !== undefined) break
      }
      const isWaiting = run?.id === this.id || pending.lanes.queue.some((input) => `run_${input.id}` === this.id)
      if (found === undefined && !isWaiting) {
        return this.refuse(new SessionError('session.unknown-run', `The session has no run ${this.id}.`))
      }
      for await (const batch of store.read(id, { after: (found ?? hub.feed.state.seq) - 1 })) {
        for (const event of batch) if (event.runId === this.id) this.#take(event)
      }
    } catch (thrown) {
      this.refuse(thrown)
    } finally {
      this.#lookingUp = false
    }
  }

  /** Nothing more will come of it. */
  refuse(why: unknown): void {
    const error = why instanceof Error ? errorInfo(why) : (why as RunResult['error'])
    const { usage } = this.#options.hub.feed.state
    this.#settle({
      runId: this.id,
      reason: error?.code === 'session.aborted' ? 'aborted' : 'error',
      text: this.#text,
      usage: { run: this.#startSeq === undefined ? NO_USAGE : usage.run, total: usage.total },
      ...(error && { error }),
      recorded: false,
    })
    this.#over.abort()
  }

  #take(event: AgentEvent): void {
    this.#startSeq ??= event.seq
    this.#seen = event.seq
    switch (event.type) {
      case 'usage':
        this.#lastStop = event.stop
        return
      case 'message':
        // What follows a pause is the same answer, going on.
        if (event.message.role === 'assistant') {
          this.#text = (this.#lastStop === 'pause' ? this.#text : '') + messageText(event.message)
        }
        return
      case 'finish':
        this.#settle({
          runId: this.id,
          reason: event.reason,
          text: this.#text,
          usage: event.usage,
          ...(event.error && { error: event.error }),
          recorded: true,
        })
    }
  }
}
