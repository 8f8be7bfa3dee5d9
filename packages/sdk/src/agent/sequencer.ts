import type { Clock } from '../protocol/clock.ts'
import type { Receipt } from '../protocol/commands.ts'
import { mergeAdjoining } from '../protocol/deltas.ts'
import { type ErrorInfo, errorInfo, StepwellError } from '../protocol/errors.ts'
import type { AgentEvent, DeltaEvent, EventBatch, EventDraft } from '../protocol/events.ts'
import { isDelta, isDurable } from '../protocol/events.ts'
import { normalise, normaliseText } from '../protocol/json.ts'
import { reduce } from '../protocol/reduce.ts'
import { makeSeq } from '../protocol/seq.ts'
import type { SessionState } from '../protocol/state.ts'
import type { RowPatch, SessionStore } from '../stores/store.ts'
import { FLUSH_MS, STORE_RETRY_MS } from './defaults.ts'

export interface SequencerOptions {
  readonly store: SessionStore
  readonly clock: Clock
  readonly generation: number
  /** Everything stored so far, folded. */
  readonly state: SessionState
  /** Shows a batch to everyone, with the state that follows from it. */
  show(batch: EventBatch, state: SessionState): void
  /** What was sequenced could not be stored: it is void, and nothing more is accepted. */
  onFault(fault: StepwellError): void
}

/** What is written together with events. */
export interface Write {
  readonly receipts?: readonly Receipt[]
  readonly row?: RowPatch
}

interface Sequenced extends Write {
  /** Counts what was sequenced. */
  readonly turn: number
  readonly events: readonly AgentEvent[]
  readonly state: SessionState
}

/**
 * Gives events their order, stores them and shows them: one FIFO a session, in the hands of its owner.
 *
 * Nothing is shown before all that was sequenced before it is stored. What is sequenced while an append is under way goes
 * into the next one. Deltas are shown at once and stored merged, once a second and before every other append.
 */
export class Sequencer {
  /** Everything sequenced, folded: what the next decision is made on. Readers may not have seen all of it yet. */
  state: SessionState
  /** Events stored since a snapshot was last known. */
  storedEvents = 0
  #index = 0
  #sequenced = 0
  #stored = 0
  #shownSeq: number
  /** Sequenced, neither stored nor shown. */
  #waiting: Sequenced[] = []
  /** Shown, not stored. */
  #unflushed: DeltaEvent[] = []
  #flushing: readonly DeltaEvent[] = []
  #appending = false
  #storedWaiters: { turn: number; resolve: () => void; reject: (fault: StepwellError) => void }[] = []
  #cancelFlush: (() => void) | undefined
  #change: { readonly told: Promise<void>; tell(): void; fail(fault: StepwellError): void } | undefined
  /** Ends the wait before the next try of an append. */
  #stopWaiting = (): void => {}
  #fault: StepwellError | undefined
  readonly #options: SequencerOptions

  constructor(options: SequencerOptions) {
    this.#options = options
    this.state = options.state
    this.#shownSeq = options.state.seq
  }

  /**
   * Takes the events into the order. The drafts become the events: they are the sequencer's from here on.
   * After a fault nothing is accepted and nothing happens.
   */
  sequence(drafts: readonly EventDraft[], write: Write = {}): void {
    if (this.#fault !== undefined) return
    const at = this.#options.clock.now()
    let durable = write.receipts !== undefined || write.row !== undefined
    const events: AgentEvent[] = []
    for (const draft of drafts) {
      const event = clean(draft) as { seq: number; at: number }
      event.seq = makeSeq(this.#options.generation, ++this.#index)
      event.at = at
      durable ||= isDurable(event as AgentEvent)
      events.push(event as AgentEvent)
    }
    const before = this.state
    this.state = reduce(before, events)
    this.#tell(before)
    if (durable || this.#waiting.length > 0) {
      this.#waiting.push({ ...write, turn: ++this.#sequenced, events, state: this.state })
      this.#pump()
    } else if (events.length > 0) {
      for (const event of events) if (isDelta(event)) this.#collect(event)
      this.#show(events, this.state)
    }
  }

  /** Why nothing is accepted any more. */
  get fault(): StepwellError | undefined {
    return this.#fault
  }

  /** Resolves when everything sequenced so far is stored and shown. Rejects with the fault. */
  stored(): Promise<void> {
    if (this.#fault !== undefined) return Promise.reject(this.#fault)
    const turn = this.#sequenced
    if (turn === this.#stored) return Promise.resolve()
    return new Promise((resolve, reject) => this.#storedWaiters.push({ turn, resolve, reject }))
  }

  /** Resolves when a request was opened or resolved, or the run is to stop, whoever wanted it. Rejects with the fault. */
  changed(): Promise<void> {
    if (this.#fault !== undefined) return Promise.reject(this.#fault)
    if (this.#change === undefined) {
      let tell = (): void => {}
      let fail = (_fault: StepwellError): void => {}
      const told = new Promise<void>((resolve, reject) => {
        tell = resolve
        fail = reject
      })
      told.catch(() => {})
      this.#change = { told, tell, fail }
    }
    return this.#change.told
  }

  #tell(before: SessionState): void {
    if (this.#change === undefined) return
    const { pending, run } = this.state
    if (before.pending.requests === pending.requests && before.run?.stopping === run?.stopping) return
    this.#change.tell()
    this.#change = undefined
  }

  /** Stores what was shown and is not stored yet. */
  flush(): Promise<void> {
    if (this.#appending || this.#unflushed.length > 0) this.sequence([], { receipts: [] })
    return this.stored()
  }

  /** Deltas that were shown and are not in the store yet, for readers who come late. */
  unstored(): readonly DeltaEvent[] {
    return [...this.#flushing, ...this.#unflushed.map((delta) => ({ ...delta }))]
  }

  /** Ends it without an error: whatever still waits is void. For an owner whose lease is gone, or a crash in a test. */
  halt(fault: StepwellError): void {
    if (this.#fault !== undefined) return
    this.#fault = fault
    this.#waiting = []
    this.#cancelFlush?.()
    this.#stopWaiting()
    for (const { reject } of this.#storedWaiters.splice(0)) reject(fault)
    this.#change?.fail(fault)
  }

  #collect(delta: DeltaEvent): void {
    const last = this.#unflushed.at(-1) as { -readonly [K in keyof DeltaEvent]: DeltaEvent[K] } | undefined
    // Grows in place: the merged delta is nobody else's until it is appended.
    if (last?.type === delta.type && last.part === delta.part && last.from + last.text.length === delta.from) {
      last.text += delta.text
      last.seq = delta.seq
      if (delta.type === 'tool-input-delta' && delta.toolName !== undefined)
        Object.assign(last, { toolName: delta.toolName })
    } else {
      this.#unflushed.push({ ...delta })
    }
    this.#cancelFlush ??= this.#options.clock.setTimer(() => this.#flushNow(), FLUSH_MS, { background: true })
  }

  #flushNow(): void {
    this.#cancelFlush = undefined
    if (this.#unflushed.length > 0 && !this.#appending) void this.#append([])
  }

  #pump(): void {
    if (!this.#appending && this.#waiting.length > 0) void this.#append(this.#waiting)
  }

  /** Appends what is unflushed and the given entries, shows the entries, goes on with what came meanwhile. */
  async #append(entries: readonly Sequenced[]): Promise<void> {
    this.#appending = true
    this.#flushing = this.#unflushed
    this.#unflushed = []
    this.#cancelFlush?.()
    this.#cancelFlush = undefined
    const events = storable([...this.#flushing, ...entries.flatMap((entry) => entry.events)])
    const taken = entries.length
    const fault = await this.#store(events, {
      receipts: entries.flatMap((entry) => entry.receipts ?? []),
      row: Object.assign({}, ...entries.map((entry) => entry.row)) as RowPatch,
    })
    this.#appending = false
    if (this.#fault !== undefined) return
    if (fault !== undefined) return this.fail(fault)
    this.#flushing = []
    this.storedEvents += events.length
    const shown = this.#waiting.splice(0, taken)
    const last = shown.at(-1)
    if (last !== undefined) {
      this.#stored = last.turn
      this.#show(shown.length === 1 ? last.events : shown.flatMap((entry) => entry.events), last.state)
      while (this.#storedWaiters[0] !== undefined && this.#storedWaiters[0].turn <= this.#stored) {
        this.#storedWaiters.shift()?.resolve()
      }
    }
    this.#pump()
    // Its second passed during this append.
    if (this.#cancelFlush === undefined) this.#flushNow()
  }

  /** Bounded retry: the same append again succeeds and changes nothing if it was stored after all. */
  async #store(events: readonly AgentEvent[], write: Write): Promise<StepwellError | undefined> {
    const { store, generation, clock, state } = this.#options
    const row: Write = write.row && Object.keys(write.row).length > 0 ? { row: write.row } : {}
    const receipts: Write = write.receipts?.length ? { receipts: write.receipts } : {}
    // What waited behind another append may be live only.
    if (events.length === 0 && row.row === undefined && receipts.receipts === undefined) return undefined
    for (let tried = 0; ; tried++) {
      try {
        await store.append(state.id, events, { generation, ...receipts, ...row })
        return undefined
      } catch (thrown) {
        const error = asError(thrown)
        const wait = STORE_RETRY_MS[tried]
        if (error.code.startsWith('session.') || wait === undefined || this.#fault !== undefined) return error
        await new Promise<void>((resolve) => {
          const cancel = clock.setTimer(resolve, wait)
          this.#stopWaiting = () => {
            cancel()
            resolve()
          }
        })
        if (this.#fault !== undefined) return this.#fault
      }
    }
  }

  /** Ends it with an error that everyone here sees: whatever still waits is void. */
  fail(error: StepwellError): void {
    if (this.#fault !== undefined) return
    this.halt(error)
    if (error.code === 'session.lease-lost') return this.#options.onFault(error)
    const fault: ErrorInfo = error.toJSON()
    this.#options.show({ prev: this.#shownSeq, head: this.#shownSeq, events: [], fault }, this.state)
    this.#options.onFault(error)
  }

  #show(events: readonly AgentEvent[], state: SessionState): void {
    const prev = this.#shownSeq
    if (events.length === 0) return
    this.#shownSeq = (events.at(-1) as AgentEvent).seq
    this.#options.show({ prev, head: this.#shownSeq, events }, state)
  }
}

/** The draft as it can be stored and sent: itself, when nothing is wrong with it. */
function clean(draft: EventDraft): object {
  if (!isDelta(draft)) return normalise(draft) as object
  const text = normaliseText(draft.text)
  return text === draft.text ? draft : { ...draft, text }
}

/** What of the events the store keeps: the durable ones, and deltas merged. */
function storable(events: readonly AgentEvent[]): AgentEvent[] {
  return mergeAdjoining(events.filter((event) => isDelta(event) || isDurable(event)))
}

function asError(thrown: unknown): StepwellError {
  if (thrown instanceof StepwellError) return thrown
  const { message } = errorInfo(thrown)
  return new StepwellError('store.unavailable', `The store failed: ${message}`, { cause: thrown, retryable: true })
}
