import {
  type AgentEvent,
  type EventBatch,
  type EventDraft,
  initialState,
  reduce,
  type SessionState,
} from '@stepwell/sdk'
import type { Step } from '../log/log-writer.ts'

type Listener = (state: SessionState, batch: EventBatch) => void

interface RecordedStep {
  readonly afterMs: number
  readonly batch: EventBatch
}

/** A log and a place in it. Being anywhere in it is one fold: forwards, backwards, or what was added just now. */
export class Tape {
  state: SessionState
  /** How many steps have happened. */
  position = 0
  /** When the last event was recorded. Epoch ms. */
  readonly #startedAt: number
  readonly #steps: RecordedStep[] = []
  readonly #listeners = new Set<{ readonly call: Listener }>()
  #seq = 0
  #elapsed = 0

  constructor(id: string, startedAt: number) {
    this.state = initialState(id)
    this.#startedAt = startedAt
  }

  get length(): number {
    return this.#steps.length
  }

  /** Until the next step. Undefined at the end. */
  get waitMs(): number | undefined {
    return this.#steps[this.position]?.afterMs
  }

  /** Every event up to here. */
  get events(): readonly AgentEvent[] {
    return this.#steps.slice(0, this.position).flatMap(({ batch }) => batch.events)
  }

  subscribe(call: Listener): () => void {
    const entry = { call }
    this.#listeners.add(entry)
    return () => void this.#listeners.delete(entry)
  }

  record(steps: readonly Step[]): void {
    for (const { afterMs, events: drafts } of steps) {
      this.#elapsed += afterMs
      const prev = this.#seq
      const events = drafts.map((draft) => this.#placed(draft))
      this.#steps.push({ afterMs, batch: { prev, head: this.#seq, events } })
    }
  }

  /** One step on. */
  advance(): void {
    const step = this.#steps[this.position]
    if (step === undefined) return
    this.position++
    this.#show(reduce(this.state, step.batch.events), step.batch)
  }

  /** To any place, as somebody who opens the session there. */
  seek(position: number): void {
    this.position = Math.min(Math.max(0, position), this.length)
    const state = reduce(initialState(this.state.id), this.events)
    this.#show(state, { prev: state.seq, head: state.seq, events: [] })
  }

  /** What was not played yet is not going to happen. */
  cut(): void {
    this.#steps.length = this.position
  }

  #show(state: SessionState, batch: EventBatch): void {
    this.state = state
    for (const { call } of [...this.#listeners]) call(state, batch)
  }

  #placed(draft: EventDraft): AgentEvent {
    const at = this.#startedAt + this.#elapsed
    this.#seq++
    const event: AgentEvent = { ...draft, seq: this.#seq, at }
    return event.type === 'message' ? { ...event, message: { ...event.message, at } } : event
  }
}
