import type { Clock } from '../protocol/clock.ts'
import type { Receipt } from '../protocol/commands.ts'
import { mergeAdjoining } from '../protocol/deltas.ts'
import { errorInfo, StepwellError } from '../protocol/errors.ts'
import type { AgentEvent, DeltaEvent, EventBatch, EventDraft } from '../protocol/events.ts'
import { isDelta, isDurable } from '../protocol/events.ts'
import { normalise, normaliseText } from '../protocol/json.ts'
import { reduce } from '../protocol/reduce.ts'
import { makeSeq } from '../protocol/seq.ts'
import type { SessionState } from '../protocol/state.ts'
import type { RowPatch, SessionStore } from '../stores/store.ts'
import { FLUSH_MS, STORE_RETRY_MS } from './defaults.ts'
import { type Deferred, deferred } from './deferred.ts'

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
  readonly events: readonly AgentEvent[]
  readonly state: SessionState
  /** For who waits until it is stored and shown. */
  done: Deferred<void> | undefined
}

/** Gives events their order, stores them and shows them: one FIFO a session, in the hands of its owner. */
export interface Sequencer {
  /** Everything sequenced, folded: what the next decision is made on. Readers may not have seen all of it yet. */
  readonly state: SessionState
  /** Events stored since a snapshot was last known. */
  storedEvents: number
  /** Why nothing is accepted any more. */
  readonly fault: StepwellError | undefined
  /**
   * Takes the events into the order. The drafts become the events: they are the sequencer's from here on.
   * After a fault nothing is accepted and nothing happens.
   */
  sequence(drafts: readonly EventDraft[], write?: Write): void
  /** Resolves when everything sequenced so far is stored and shown. Rejects with the fault. */
  stored(): Promise<void>
  /** Resolves when a request was opened or resolved, or the run is to stop, whoever wanted it. Rejects with the fault. */
  changed(): Promise<void>
  /** Stores what was shown and is not stored yet. */
  flush(): Promise<void>
  /** Deltas that were shown and are not in the store yet, for readers who come late. */
  unstored(): readonly DeltaEvent[]
  /** Ends it without an error: whatever still waits is void. For an owner whose lease is gone, or a crash in a test. */
  halt(fault: StepwellError): void
  /** Ends it with an error that everyone here sees: whatever still waits is void. */
  fail(error: StepwellError): void
}

/**
 * Nothing is shown before all that was sequenced before it is stored. What is sequenced while an append is under way goes
 * into the next one. Deltas are shown at once and stored merged, once a second and before every other append.
 */
export function createSequencer({ store, clock, generation, state, show, onFault }: SequencerOptions): Sequencer {
  const { id } = state
  let index = 0
  let shownSeq = state.seq
  /** Sequenced, neither stored nor shown. */
  let waiting: Sequenced[] = []
  /** Shown, not stored. */
  let unflushed: DeltaEvent[] = []
  let flushing: readonly DeltaEvent[] = []
  let isAppending = false
  let cancelFlush: (() => void) | undefined
  /** For who waits for a change. */
  let change: Deferred<void> | undefined
  /** Ends the wait before the next try of an append. */
  let stopWaiting = (): void => {}
  let fault: StepwellError | undefined

  const sequencer: Sequencer = {
    get state() {
      return state
    },
    storedEvents: 0,
    get fault() {
      return fault
    },
    sequence(drafts, write = {}) {
      if (fault !== undefined) return
      const at = clock.now()
      let durable = write.receipts !== undefined || write.row !== undefined
      const events: AgentEvent[] = []
      for (const draft of drafts) {
        const event = clean(draft) as { seq: number; at: number }
        event.seq = makeSeq(generation, ++index)
        event.at = at
        durable ||= isDurable(event as AgentEvent)
        events.push(event as AgentEvent)
      }
      const before = state
      state = reduce(before, events)
      tellChange(before)
      if (durable || waiting.length > 0) {
        waiting.push({ ...write, events, state, done: undefined })
        pump()
      } else {
        for (const event of events) if (isDelta(event)) collect(event)
        showNext(events, state)
      }
    },
    stored() {
      if (fault !== undefined) return Promise.reject(fault)
      const last = waiting.at(-1)
      if (last === undefined) return Promise.resolve()
      last.done ??= deferred()
      return last.done.promise
    },
    changed() {
      if (fault !== undefined) return Promise.reject(fault)
      if (change === undefined) {
        change = deferred()
        change.promise.catch(() => {})
      }
      return change.promise
    },
    flush() {
      if (isAppending || unflushed.length > 0) sequencer.sequence([], { receipts: [] })
      return sequencer.stored()
    },
    unstored: () => [...flushing, ...unflushed.map((delta) => ({ ...delta }))],
    halt(why) {
      if (fault !== undefined) return
      fault = why
      const lost = waiting
      waiting = []
      cancelFlush?.()
      stopWaiting()
      for (const { done } of lost) done?.reject(why)
      change?.reject(why)
    },
    fail(error) {
      if (fault !== undefined) return
      sequencer.halt(error)
      if (error.code !== 'session.lease-lost') {
        show({ prev: shownSeq, head: shownSeq, events: [], fault: error.toJSON() }, state)
      }
      onFault(error)
    },
  }

  function tellChange(before: SessionState): void {
    const { pending, run } = state
    if (before.pending.requests === pending.requests && before.run?.stopping === run?.stopping) return
    change?.resolve()
    change = undefined
  }

  function collect(delta: DeltaEvent): void {
    const last = unflushed.at(-1) as { -readonly [K in keyof DeltaEvent]: DeltaEvent[K] } | undefined
    // Grows in place: the merged delta is nobody else's until it is appended.
    if (last?.type === delta.type && last.part === delta.part && last.from + last.text.length === delta.from) {
      last.text += delta.text
      last.seq = delta.seq
      if (delta.type === 'tool-input-delta' && delta.toolName !== undefined)
        Object.assign(last, { toolName: delta.toolName })
    } else {
      unflushed.push({ ...delta })
    }
    cancelFlush ??= clock.setTimer(flushNow, FLUSH_MS, { background: true })
  }

  function flushNow(): void {
    cancelFlush = undefined
    if (unflushed.length > 0 && !isAppending) void append([])
  }

  function pump(): void {
    if (!isAppending && waiting.length > 0) void append(waiting)
  }

  /** Appends what is unflushed and the given entries, shows the entries, goes on with what came meanwhile. */
  async function append(entries: readonly Sequenced[]): Promise<void> {
    isAppending = true
    flushing = unflushed
    unflushed = []
    cancelFlush?.()
    cancelFlush = undefined
    const events = storable([...flushing, ...entries.flatMap((entry) => entry.events)])
    const taken = entries.length
    const failure = await storeAll(events, {
      receipts: entries.flatMap((entry) => entry.receipts ?? []),
      row: Object.assign({}, ...entries.map((entry) => entry.row)) as RowPatch,
    })
    isAppending = false
    if (fault !== undefined) return
    if (failure !== undefined) return sequencer.fail(failure)
    flushing = []
    sequencer.storedEvents += events.length
    const stored = waiting.splice(0, taken)
    const last = stored.at(-1)
    if (last !== undefined) {
      showNext(stored.length === 1 ? last.events : stored.flatMap((entry) => entry.events), last.state)
      for (const { done } of stored) done?.resolve()
    }
    pump()
    // Its second passed during this append.
    if (cancelFlush === undefined) flushNow()
  }

  /** Bounded retry: the same append again succeeds and changes nothing if it was stored after all. */
  async function storeAll(
    events: readonly AgentEvent[],
    { receipts, row }: Required<Write>,
  ): Promise<StepwellError | undefined> {
    const write: Write = {
      ...(receipts.length > 0 && { receipts }),
      ...(Object.keys(row).length > 0 && { row }),
    }
    // What waited behind another append may be live only.
    if (events.length === 0 && Object.keys(write).length === 0) return undefined
    for (let tried = 0; ; tried++) {
      try {
        await store.append(id, events, { generation, ...write })
        return undefined
      } catch (thrown) {
        const error = asError(thrown)
        const wait = STORE_RETRY_MS[tried]
        if (error.code.startsWith('session.') || wait === undefined || fault !== undefined) return error
        await new Promise<void>((resolve) => {
          const cancel = clock.setTimer(resolve, wait)
          stopWaiting = () => {
            cancel()
            resolve()
          }
        })
        if (fault !== undefined) return fault
      }
    }
  }

  function showNext(events: readonly AgentEvent[], next: SessionState): void {
    const prev = shownSeq
    shownSeq = events.at(-1)?.seq ?? prev
    if (events.length > 0) show({ prev, head: shownSeq, events }, next)
  }

  return sequencer
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
