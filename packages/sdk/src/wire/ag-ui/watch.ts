import type { HostedSession } from '../../agent/host.ts'
import type { ErrorInfo } from '../../protocol/errors.ts'
import type { EventBatch } from '../../protocol/events.ts'
import { reduce } from '../../protocol/reduce.ts'
import type { SessionState } from '../../protocol/state.ts'
import type { Ending } from './outcome.ts'
import type { ModelCall } from './usage.ts'

/** The session as it was when a run ended, whatever came after that. */
export interface RunEnd {
  readonly state: SessionState
  readonly ending: Ending
}

/** A session from now on: its state, the runs that end, what their model calls cost. */
export class Watch {
  state: SessionState
  /** Nothing more comes from here: why, where the storage failed. */
  over: { readonly fault?: ErrorInfo } | undefined
  readonly #ends = new Map<string, RunEnd>()
  readonly #calls = new Map<string, ModelCall[]>()
  readonly #returned = new Set<string>()
  #provider: string | undefined
  readonly #stop: () => void

  constructor({ feed }: HostedSession, onChange: () => void) {
    this.state = feed.state
    const take = (state: SessionState, batch: EventBatch): void => {
      this.#take(state, batch)
      onChange()
    }
    const onClosed = (): void => {
      this.over ??= {}
      onChange()
    }
    this.#stop = feed.subscribe(take, onClosed, true)
    if (feed.isClosed) this.over = {}
  }

  /** Of a run that ended while it was watched. */
  endOf(runId: string): RunEnd | undefined {
    return this.#ends.get(runId)
  }

  /** The calls of a run that were heard of. */
  callsOf(runId: string): readonly ModelCall[] {
    return this.#calls.get(runId) ?? []
  }

  /** Whether an input was handed back in place of being taken. */
  wasReturned(inputId: string): boolean {
    return this.#returned.has(inputId)
  }

  stop(): void {
    this.#stop()
  }

  #take(state: SessionState, { events, fault }: EventBatch): void {
    const before = this.state
    this.state = state
    if (fault !== undefined) this.over = { fault }
    for (const [index, event] of events.entries()) {
      if (event.type === 'turn-start') {
        this.#provider = event.model.provider
      } else if (event.type === 'usage') {
        const call = { provider: this.#provider, model: event.model, usage: event.call }
        this.#calls.set(event.runId, [...this.callsOf(event.runId), call])
      } else if (event.type === 'input-returned') {
        this.#returned.add(event.inputId)
      } else if (event.type === 'finish') {
        const { runId, reason, error, output } = event
        const atEnd = index === events.length - 1 ? state : reduce(before, events.slice(0, index + 1))
        const ending = { reason, ...(error && { error }), ...(output !== undefined && { output }) }
        this.#ends.set(runId, { state: atEnd, ending })
      }
    }
  }
}
