import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Choose, chances, randomStep, recoveryStep } from '../testing/random-steps.ts'
import { mergeAdjoining } from './deltas.ts'
import { type AgentEvent, type DeltaEvent, type EventBatch, type EventDraft, isDelta, isDurable } from './events.ts'
import { reduce } from './reduce.ts'
import { generationOf, makeSeq } from './seq.ts'
import { initialState, type SessionState } from './state.ts'

const HISTORIES = process.env.STEPWELL_DEEP ? 20_000 : 1_000

interface Owner {
  readonly generation: number
  index: number
  state: SessionState
  /** Shown, not stored. */
  unflushed: DeltaEvent[]
  /** Live, not shown yet. */
  unshown: AgentEvent[]
  /** The last seq it published. */
  prev: number
  /** It found its lease lost, or its store failed. */
  stopped: boolean
}

interface Reader {
  state: SessionState
  connected: boolean
}

/** One session with everything that can go wrong between its owners, its store, its bus and its readers. */
class World {
  readonly log: AgentEvent[] = []
  readonly readers: Reader[] = [0, 1, 2].map(() => ({ state: initialState('s'), connected: true }))
  /** What an owner's state was right after it sequenced a seq. */
  readonly truth = new Map<number, SessionState>([[0, initialState('s')]])
  readonly #choose: Choose
  readonly #mint: (prefix: string) => string
  #owner: Owner
  /** Lost the lease and has not noticed. */
  #stale: Owner | undefined
  /** What the bus holds of the open turn. */
  #retained: AgentEvent[] = []
  #busGeneration = 0

  constructor(choose: Choose) {
    this.#choose = choose
    let ids = 0
    this.#mint = (prefix) => `${prefix}-${++ids}`
    this.#owner = this.#newOwner(1)
  }

  step(): void {
    const choose = this.#choose
    if (this.#owner.stopped) return this.#takeOver()
    const reader = this.readers[choose(3)] as Reader
    switch (choose(24)) {
      case 0:
        return this.#takeOver()
      case 1:
        this.#stale = this.#owner
        return this.#takeOver()
      case 2:
        return this.#flush(this.#owner)
      case 3:
        reader.connected = !reader.connected
        if (reader.connected) this.catchUp(reader)
        return
      case 4:
        reader.state = stored(reduce(initialState('s'), this.log.slice(0, choose(this.log.length + 1))))
        return this.catchUp(reader)
      case 5:
        return this.heartbeat()
      case 6:
        if (this.#stale) this.#sequence(this.#stale, randomStep(this.#stale.state, choose, this.#mint))
        return
      default:
        return this.#sequence(this.#owner, randomStep(this.#owner.state, choose, this.#mint))
    }
  }

  /** Made by whoever serves the readers, from the store alone: so a lost last batch is noticed. */
  heartbeat(): void {
    const head = this.log.at(-1)?.seq ?? 0
    for (const reader of this.readers) if (reader.connected) this.#deliver(reader, { prev: head, head, events: [] })
  }

  /** Reads what the store and the bus have above its own seq. */
  catchUp(reader: Reader): void {
    const held = this.#choose(2) === 0 ? this.#retained : mergeAdjoining(this.#retained)
    const missed = new Map<number, AgentEvent>()
    for (const event of [...this.log, ...held]) {
      if (event.seq > reader.state.seq && !missed.has(event.seq)) missed.set(event.seq, event)
    }
    reader.state = reduce(
      reader.state,
      [...missed.values()].sort((a, b) => a.seq - b.seq),
    )
  }

  /** Everything shown and flushed, as after a quiet second. */
  settle(): void {
    while (this.#owner.stopped) this.#takeOver()
    this.#showLive(this.#owner)
    this.#flush(this.#owner)
    for (const reader of this.readers) reader.connected = true
    this.heartbeat()
  }

  get settledState(): SessionState {
    return this.#owner.state
  }

  #newOwner(generation: number): Owner {
    const state = reduce(initialState('s'), this.log)
    return { generation, index: 0, state, unflushed: [], unshown: [], prev: state.seq, stopped: false }
  }

  /** From the store alone, whether the owner before crashed, gave up, or goes on without its lease. */
  #takeOver(): void {
    this.#owner = this.#newOwner(this.#owner.generation + 1)
    this.#sequence(this.#owner, recoveryStep(this.#owner.state, this.#choose))
  }

  #sequence(owner: Owner, drafts: readonly EventDraft[]): void {
    if (owner.stopped || drafts.length === 0) return
    const events = drafts.map((draft): AgentEvent => {
      const event: AgentEvent = { ...draft, seq: makeSeq(owner.generation, ++owner.index), at: owner.index }
      const next = reduce(owner.state, [event])
      if (!isDurable(event) && !isDelta(event)) expectOnlyLiveChanged(owner.state, next)
      owner.state = next
      this.truth.set(event.seq, next)
      return event
    })
    if (events.some(isDurable)) return this.#append(owner, events)
    owner.unflushed.push(...events.filter(isDelta))
    owner.unshown.push(...events)
    if (this.#choose(2) === 0) this.#showLive(owner)
  }

  #append(owner: Owner, events: readonly AgentEvent[]): void {
    this.#showLive(owner)
    const isFenced = owner.generation < this.#owner.generation
    const fails = this.#choose(40) === 0
    const arrivesAnyway = this.#choose(2) === 0
    if (!isFenced && (!fails || arrivesAnyway)) {
      this.#flush(owner)
      this.log.push(...events.filter(isDurable))
    }
    if (isFenced || fails) {
      owner.stopped = true
      const fault = { code: 'store.unavailable', message: 'The store failed.', retryable: true }
      for (const reader of this.readers) {
        if (reader.connected) this.#deliver(reader, { prev: owner.prev, head: owner.prev, events: [], fault })
      }
    } else {
      this.#publish(owner, events)
    }
  }

  #flush(owner: Owner): void {
    if (owner.generation < this.#owner.generation) return
    this.log.push(...mergeAdjoining(owner.unflushed))
    owner.unflushed = []
  }

  #showLive(owner: Owner): void {
    if (owner.unshown.length > 0) this.#publish(owner, owner.unshown)
    owner.unshown = []
  }

  #publish(owner: Owner, events: readonly AgentEvent[]): void {
    const head = events.at(-1)?.seq ?? owner.prev
    const batch: EventBatch = { prev: owner.prev, head, events }
    owner.prev = head
    if (owner.generation >= this.#busGeneration) this.#retain(owner.generation, events)
    for (const reader of this.readers) {
      const luck = this.#choose(10)
      const isLost = luck === 0
      if (isLost || !reader.connected) continue
      this.#deliver(reader, luck === 1 ? { ...batch, events: mergeAdjoining(events) } : batch)
      if (luck === 2) this.#deliver(reader, batch)
    }
  }

  #retain(generation: number, events: readonly AgentEvent[]): void {
    if (generation > this.#busGeneration) this.#retained = []
    this.#busGeneration = generation
    this.#retained.push(...events)
    if (events.some(({ type }) => type === 'message' || type === 'finish')) this.#retained = []
  }

  #deliver(reader: Reader, batch: EventBatch): void {
    if (generationOf(batch.head) < generationOf(reader.state.seq)) return
    if (batch.prev > reader.state.seq) this.catchUp(reader)
    reader.state = reduce(reader.state, batch.events)
  }
}

/** As a store or a wire gives a state back. */
function stored(state: SessionState): SessionState {
  return JSON.parse(JSON.stringify(state)) as SessionState
}

function expectOnlyLiveChanged(before: SessionState, after: SessionState): void {
  const changed = Object.keys(after).filter(
    (key) => before[key as keyof SessionState] !== after[key as keyof SessionState],
  )
  const others = changed.filter((key) => key !== 'live' && key !== 'seq')
  if (others.length > 0) expect(others).toEqual([])
}

function expectSame(actual: SessionState, expected: SessionState | undefined): void {
  const { live: _shown, seq: _at, ...known } = actual
  const { live: _alsoShown, seq: _alsoAt, ...wanted } = expected ?? initialState('missing')
  if (!isDeepStrictEqual(known, wanted)) expect(known).toEqual(wanted)
}

function randomWorld(seed: number, steps: number, afterStep: (world: World, choose: Choose) => void): World {
  const choose = chances(seed)
  const world = new World(choose)
  for (let i = 0; i < steps; i++) {
    world.step()
    afterStep(world, choose)
  }
  world.settle()
  return world
}

const history = { seed: fc.integer(), steps: fc.integer({ min: 1, max: 120 }) }

test('what any reader shows is what the owner had at that seq, and in the end everyone agrees', () => {
  const showsTheTruth = (seed: number, steps: number) => {
    const world = randomWorld(seed, steps, ({ readers, truth }, choose) => {
      const { state } = readers[choose(3)] as Reader
      if (choose(4) === 0) expectSame(state, truth.get(state.seq))
    })
    for (const reader of world.readers) {
      expectSame(reader.state, world.truth.get(reader.state.seq))
      world.catchUp(reader)
      expectSame(reader.state, world.settledState)
    }
  }
  fc.assert(fc.property(history.seed, history.steps, showsTheTruth), { seed: 1, numRuns: HISTORIES })
}, 600_000)

test('the log folds to the same state from the start, from any snapshot, and with any suffix delivered twice', () => {
  const foldsAlike = (seed: number, steps: number) => {
    const { log, truth } = randomWorld(seed, steps, () => {})
    const choose = chances(seed ^ steps)
    const whole = reduce(initialState('s'), log)
    for (let i = 0; i < 4; i++) {
      const cut = choose(log.length + 1)
      const snapshot = reduce(initialState('s'), log.slice(0, cut))
      expectSame(snapshot, truth.get(snapshot.seq))
      expectSame(reduce(stored(snapshot), log.slice(choose(cut + 1))), whole)
      expect(reduce(whole, log.slice(cut))).toBe(whole)
    }
    expectSame(whole, truth.get(whole.seq))
    let state = initialState('s')
    for (const event of log) state = reduce(state, [event])
    expectSame(state, whole)
  }
  fc.assert(fc.property(history.seed, history.steps, foldsAlike), { seed: 2, numRuns: HISTORIES })
}, 600_000)
