import { mergeDelta } from '../protocol/deltas.ts'
import type { AgentEvent, DeltaEvent, EventBatch } from '../protocol/events.ts'
import { isDelta, isDurable } from '../protocol/events.ts'
import { reduce } from '../protocol/reduce.ts'
import { generationOf } from '../protocol/seq.ts'
import { initialState, REDUCER_VERSION, type SessionState } from '../protocol/state.ts'
import type { SessionStore } from '../stores/store.ts'
import { LEASE_MS, LEASE_RENEW_MS } from './defaults.ts'
import { logThrown } from './log-thrown.ts'
import type { AgentRuntime } from './runtime.ts'

type Listener = (state: SessionState, batch: EventBatch) => void

interface Listening {
  readonly listener: Listener
  /** What to call when nothing more will come. */
  readonly onClose: (() => void) | undefined
  readonly isAwaited: boolean
}

/** What this process shows of a session: the state everyone here sees, and everyone who listens. */
export interface Feed {
  readonly state: SessionState
  /** What it is read from. */
  readonly store: SessionStore
  /** Events read from the store since a snapshot was last known. */
  readEvents: number
  /** Whether nothing more will come. */
  readonly isClosed: boolean
  /**
   * Reads from the store what is not known yet: the newest snapshot and what follows it, or only the latter. Text that a
   * lost owner showed and never stored is kept: whoever recovers the run writes it down or begins the reply again.
   */
  load(): Promise<void>
  /** Reads what the store has above the state now, and shows it. */
  catchUp(): Promise<void>
  /** Gives up what was shown and never stored. False when there is no such thing. */
  forgetUnstored(): Promise<boolean>
  /**
   * `onClose` is called when nothing more will come from here, whatever becomes of the session. A process stays alive for
   * a listener that is awaited, also when another process does the work.
   */
  subscribe(listener: Listener, onClose?: () => void, isAwaited?: boolean): () => void
  close(): void
  /** The owner lives here from now on, and shows its batches itself. */
  own(unstored: () => readonly DeltaEvent[]): void
  disown(): void
  /** Shown deltas that a reader of the store alone would miss. */
  unstored(): readonly DeltaEvent[]
  /** A batch of the owner, with the state it made of it. */
  show(batch: EventBatch, state: SessionState): void
}

/**
 * A feed is fed by the owner's sequencer when the owner lives here, and otherwise by the bus and by looking at the store,
 * as long as someone listens. `onSilence`: someone follows an open run of another owner, and nothing has come for so long
 * that it may be dead.
 */
export function createFeed(
  id: string,
  { store, heads, bus, clock, logger }: AgentRuntime,
  onSilence: () => void,
): Feed {
  const listeners = new Set<Listening>()
  const corrupt = new Set<number>()
  let state = initialState(id)
  let isClosed = false
  /** What the owner has not stored yet, when it lives here. */
  let unstored: (() => readonly DeltaEvent[]) | undefined
  /** Deltas seen but perhaps not stored, when it lives elsewhere. */
  let open: DeltaEvent[] = []
  let unwatch: (() => void) | undefined
  let unsubscribe: (() => void) | undefined
  /** When something came last, or its owner was last looked for. */
  let heardAt = 0
  let reading = Promise.resolve()
  let isResyncing = false

  const feed: Feed = {
    get state() {
      return state
    },
    store,
    readEvents: 0,
    get isClosed() {
      return isClosed
    },
    async load() {
      if (state.seq === 0) {
        const snapshot = await store.snapshot(id)
        if (snapshot?.version === REDUCER_VERSION) state = snapshot.state
      }
      await catchUp()
    },
    catchUp,
    async forgetUnstored() {
      const { [id]: stored = 0 } = await store.heads([id])
      if (state.seq <= stored) return false
      open = []
      state = initialState(id)
      await feed.load()
      return true
    },
    subscribe(listener, onClose, isAwaited = false) {
      if (isClosed) return () => {}
      // The same function may listen twice: each time has a removal of its own.
      const listening = { listener, onClose, isAwaited }
      listeners.add(listening)
      if (unwatch === undefined) watch()
      else if (isAwaited) heads.plan()
      return () => {
        listeners.delete(listening)
        if (listeners.size === 0) stopWatching()
      }
    },
    close() {
      isClosed = true
      stopWatching()
      for (const { onClose } of listeners) onClose?.()
      listeners.clear()
    },
    own(ofOwner) {
      unstored = ofOwner
      stopWatching()
    },
    disown() {
      unstored = undefined
      open = []
      if (listeners.size > 0) watch()
    },
    unstored: () => unstored?.() ?? open,
    show,
  }

  function show(batch: EventBatch, next: SessionState): void {
    heardAt = clock.now()
    state = batch.fault === undefined ? next : { ...state, live: { ...state.live, fault: batch.fault } }
    for (const { listener } of listeners) {
      try {
        listener(state, batch)
      } catch (thrown) {
        logThrown(logger, 'error', 'A session listener threw')(thrown)
      }
    }
  }

  /** Shows what of a batch is new here, and says how many events that are. */
  function take(batch: Omit<EventBatch, 'prev'>): number {
    const events = batch.events.filter(({ seq }) => seq > state.seq)
    if (events.length > 0 || batch.fault !== undefined) {
      for (const event of events) collect(event)
      show({ ...batch, prev: state.seq, events }, reduce(state, events))
    }
    return events.length
  }

  function collect(event: AgentEvent): void {
    if (isDelta(event)) {
      const merged = mergeDelta(open.at(-1), event)
      if (merged) open[open.length - 1] = merged
      else open.push(event)
    } else if (isDurable(event)) {
      open = []
    }
  }

  function catchUp(): Promise<void> {
    const read = reading.then(readOn)
    reading = read.catch(() => {})
    return read
  }

  async function readOn(): Promise<void> {
    const onCorrupt = ({ seq, reason }: { seq: number; reason: string }): void => {
      if (!corrupt.has(seq)) logger.log('error', 'An event of a session cannot be read', { sessionId: id, seq, reason })
      corrupt.add(seq)
    }
    for await (const events of store.read(id, { after: state.seq, onCorrupt })) {
      // The owner lives here now, and shows what it stored itself.
      if (unstored !== undefined) return
      feed.readEvents += take({ head: events.at(-1)?.seq ?? 0, events })
    }
  }

  function watch(): void {
    if (unwatch !== undefined || unstored !== undefined) return
    heardAt = clock.now()
    unwatch = heads.watch({
      id,
      isAwaited: () => [...listeners].some(({ isAwaited }) => isAwaited),
      onHead(head) {
        if (head > state.seq) resync()
        else listenForLife()
      },
    })
    listenToBus()
  }

  function stopWatching(): void {
    unsubscribe?.()
    unsubscribe = undefined
    unwatch?.()
    unwatch = undefined
  }

  function listenToBus(): void {
    unsubscribe?.()
    unsubscribe = bus?.subscribe(id, state.seq, receive)
  }

  /** A batch from elsewhere: late, twice, from a stale owner or after a hole. */
  function receive(batch: EventBatch): void {
    if (unstored !== undefined || generationOf(batch.head) < generationOf(state.seq)) return
    if (batch.prev > state.seq) resync()
    else take(batch)
  }

  /** Fills a hole: what is stored from the store, what is not from what the bus still holds. */
  function resync(): void {
    if (isResyncing) return
    isResyncing = true
    catchUp()
      .catch(logThrown(logger, 'warn', 'A session could not be read'))
      .finally(() => {
        if (unwatch !== undefined) listenToBus()
        isResyncing = false
      })
  }

  /** A dead owner says nothing. So does a living one whose tool takes its time: then its lease holds. */
  function listenForLife(): void {
    if (state.run === undefined || clock.now() - heardAt < LEASE_MS) return
    heardAt = clock.now() - LEASE_MS + LEASE_RENEW_MS
    onSilence()
  }

  return feed
}
