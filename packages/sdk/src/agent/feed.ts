import type { SessionBus } from '../bus/bus.ts'
import type { Clock } from '../protocol/clock.ts'
import { mergeDelta } from '../protocol/deltas.ts'
import { thrownText } from '../protocol/errors.ts'
import type { AgentEvent, DeltaEvent, EventBatch } from '../protocol/events.ts'
import { isDelta, isDurable } from '../protocol/events.ts'
import { reduce } from '../protocol/reduce.ts'
import { generationOf } from '../protocol/seq.ts'
import { initialState, REDUCER_VERSION, type SessionState } from '../protocol/state.ts'
import type { SessionStore } from '../stores/store.ts'
import { LEASE_MS, LEASE_RENEW_MS } from './defaults.ts'
import type { Heads } from './heads.ts'
import type { Logger } from './runtime.ts'

export type Listener = (state: SessionState, batch: EventBatch) => void

export interface FeedOptions {
  readonly store: SessionStore
  readonly heads: Heads
  readonly bus: SessionBus | undefined
  readonly clock: Clock
  readonly logger: Logger
  /** Someone follows an open run of another owner, and nothing has come for so long that it may be dead. */
  onSilence(): void
}

interface Listening {
  /** What to call when nothing more will come. */
  readonly onClose: (() => void) | undefined
  readonly isAwaited: boolean
}

/**
 * What this process shows of a session: the state everyone here sees, and everyone who listens.
 *
 * It is fed by the owner's sequencer when the owner lives here, and otherwise by the bus and by looking at the store, as
 * long as someone listens.
 */
export class Feed {
  state: SessionState
  /** Events read from the store since a snapshot was last known. */
  readEvents = 0
  /** Deltas seen but perhaps not stored, when the owner lives elsewhere. */
  #open: DeltaEvent[] = []
  #listeners = new Map<Listener, Listening>()
  #isClosed = false
  #unstored: (() => readonly DeltaEvent[]) | undefined
  #unwatch: (() => void) | undefined
  /** When something came last, or its owner was last looked for. */
  #heardAt = 0
  #unsubscribe: (() => void) | undefined
  #reading: Promise<void> = Promise.resolve()
  #resyncing = false
  #corrupt = new Set<number>()
  readonly #options: FeedOptions

  constructor(id: string, options: FeedOptions) {
    this.state = initialState(id)
    this.#options = options
  }

  /**
   * Reads from the store what is not known yet: the newest snapshot and what follows it, or only the latter. Text that a
   * lost owner showed and never stored is kept: whoever recovers the run writes it down or begins the reply again.
   */
  async load(): Promise<void> {
    const { store } = this.#options
    if (this.state.seq === 0) {
      const snapshot = await store.snapshot(this.state.id)
      if (snapshot?.version === REDUCER_VERSION) this.state = snapshot.state
    }
    await this.catchUp()
  }

  /** Gives up what was shown and never stored. False when there is no such thing. */
  async forgetUnstored(): Promise<boolean> {
    const { id, seq } = this.state
    const { [id]: stored = 0 } = await this.#options.store.heads([id])
    if (seq <= stored) return false
    this.#open = []
    this.state = initialState(id)
    await this.load()
    return true
  }

  /** Whether nothing more will come. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /**
   * `onClose` is called when nothing more will come from here, whatever becomes of the session. A process stays alive for
   * a listener that is awaited, also when another process does the work.
   */
  subscribe(listener: Listener, onClose?: () => void, isAwaited = false): () => void {
    if (this.#isClosed) return () => {}
    this.#listeners.set(listener, { onClose, isAwaited })
    if (this.#unwatch === undefined) this.#watch()
    else if (isAwaited) this.#options.heads.plan()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#stopWatching()
    }
  }

  close(): void {
    this.#isClosed = true
    this.#stopWatching()
    for (const { onClose } of this.#listeners.values()) onClose?.()
    this.#listeners.clear()
  }

  /** The owner lives here from now on, and shows its batches itself. */
  own(unstored: () => readonly DeltaEvent[]): void {
    this.#unstored = unstored
    this.#stopWatching()
  }

  disown(): void {
    this.#unstored = undefined
    this.#open = []
    if (this.#listeners.size > 0) this.#watch()
  }

  /** Shown deltas that a reader of the store alone would miss. */
  unstored(): readonly DeltaEvent[] {
    return this.#unstored?.() ?? this.#open
  }

  /** A batch of the owner, with the state it made of it. */
  show(batch: EventBatch, state: SessionState): void {
    this.#heardAt = this.#options.clock.now()
    this.state = batch.fault === undefined ? state : { ...this.state, live: { ...this.state.live, fault: batch.fault } }
    for (const listener of this.#listeners.keys()) {
      try {
        listener(this.state, batch)
      } catch (thrown) {
        this.#options.logger.log('error', 'A listener of a session threw', { error: thrownText(thrown) })
      }
    }
  }

  /** A batch from elsewhere: late, twice, from a stale owner or after a hole. */
  receive(batch: EventBatch): void {
    if (this.#unstored !== undefined) return
    if (generationOf(batch.head) < generationOf(this.state.seq)) return
    if (batch.prev > this.state.seq) return this.#resync()
    const events = batch.events.filter((event) => event.seq > this.state.seq)
    if (events.length === 0 && batch.fault === undefined) return
    this.#collect(events)
    this.show({ ...batch, prev: this.state.seq, events }, reduce(this.state, events))
  }

  /** Reads what the store has above the state now, and shows it. */
  catchUp(): Promise<void> {
    const read = this.#reading.then(() => this.#readOn())
    this.#reading = read.catch(() => {})
    return read
  }

  /** Fills a hole: what is stored from the store, what is not from what the bus still holds. */
  #resync(): void {
    if (this.#resyncing) return
    this.#resyncing = true
    this.catchUp()
      .catch((thrown) => this.#options.logger.log('warn', 'A session could not be read', { error: thrownText(thrown) }))
      .finally(() => {
        if (this.#unwatch !== undefined) this.#listenToBus()
        this.#resyncing = false
      })
  }

  #listenToBus(): void {
    this.#unsubscribe?.()
    this.#unsubscribe = this.#options.bus?.subscribe(this.state.id, this.state.seq, (batch) => this.receive(batch))
  }

  async #readOn(): Promise<void> {
    const { store, logger } = this.#options
    const { id } = this.state
    const onCorrupt = ({ seq, reason }: { seq: number; reason: string }): void => {
      if (!this.#corrupt.has(seq))
        logger.log('error', 'An event of a session cannot be read', { sessionId: id, seq, reason })
      this.#corrupt.add(seq)
    }
    for await (const read of store.read(id, { after: this.state.seq, onCorrupt })) {
      // The owner lives here now, and shows what it stored itself.
      if (this.#unstored !== undefined) return
      const events = read.filter((event) => event.seq > this.state.seq)
      const head = events.at(-1)?.seq
      if (head === undefined) continue
      this.readEvents += events.length
      this.#collect(events)
      this.show({ prev: this.state.seq, head, events }, reduce(this.state, events))
    }
  }

  #collect(events: readonly AgentEvent[]): void {
    for (const event of events) {
      if (isDelta(event)) {
        const merged = mergeDelta(this.#open.at(-1), event)
        if (merged) this.#open[this.#open.length - 1] = merged
        else this.#open.push(event)
      } else if (isDurable(event)) {
        this.#open = []
      }
    }
  }

  #watch(): void {
    if (this.#unwatch !== undefined || this.#unstored !== undefined) return
    this.#heardAt = this.#options.clock.now()
    const unwatch = this.#options.heads.watch({
      id: this.state.id,
      isAwaited: () => [...this.#listeners.values()].some(({ isAwaited }) => isAwaited),
      onHead: (head) => this.#onHead(head),
    })
    this.#unwatch = () => {
      this.#unsubscribe?.()
      this.#unsubscribe = undefined
      unwatch()
    }
    this.#listenToBus()
  }

  #onHead(head: number): void {
    if (head > this.state.seq) this.#resync()
    else this.#listenForLife()
  }

  /** A dead owner says nothing. So does a living one whose tool takes its time: then its lease holds. */
  #listenForLife(): void {
    const { clock, onSilence } = this.#options
    if (this.state.run === undefined || clock.now() - this.#heardAt < LEASE_MS) return
    this.#heardAt = clock.now() - LEASE_MS + LEASE_RENEW_MS
    onSilence()
  }

  #stopWatching(): void {
    this.#unwatch?.()
    this.#unwatch = undefined
  }
}
