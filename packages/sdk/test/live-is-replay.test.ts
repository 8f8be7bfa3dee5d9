import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createAgent } from '../src/agent/create-agent.ts'
import type { SessionBus } from '../src/bus/bus.ts'
import { memoryBus } from '../src/bus/memory.ts'
import type { AgentEvent } from '../src/protocol/events.ts'
import { reduce } from '../src/protocol/reduce.ts'
import type { AgentSession } from '../src/protocol/session.ts'
import { initialState, type SessionState } from '../src/protocol/state.ts'
import type { ModelRequest } from '../src/providers/provider.ts'
import { memoryStore } from '../src/stores/memory.ts'
import { storedEvents } from '../src/testing/agent-world.ts'
import { type ManualClock, manualClock } from '../src/testing/manual-clock.ts'
import { brokenPromises } from '../src/testing/promises.ts'
import { type Choose, chances } from '../src/testing/random-steps.ts'
import { type ScriptedReply, scriptedModel } from '../src/testing/scripted-model.ts'
import { defineTool } from '../src/tools/define-tool.ts'
// Loaded when they are first needed: here before, so that the same seed is the same history.
import '../src/agent/rare.ts'
import '../src/tools/json-validator.ts'
import '../src/tools/rare.ts'

const HISTORIES = process.env.STEPWELL_DEEP ? 1_000 : 60
const STEPS = 60
const LEASE_SECONDS = 16

/** Everything that is about to happen, happens. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

/** The open reply may be ahead of the store, by text that a lost owner showed last; nothing else may differ. */
function expectSame(shown: SessionState, replayed: SessionState): void {
  const { live: _live, ...state } = shown
  const { live: _none, ...truth } = replayed
  const ahead = state.pending.message
  const { message, ...pending } = truth.pending
  const { message: _ahead, ...others } = state.pending
  expect({ ...state, pending: others }).toEqual({ ...truth, pending })
  for (const [i, part] of (message?.parts ?? []).entries()) {
    const same = ahead?.parts[i]
    if (part.type === 'text' || part.type === 'reasoning') expect(same).toMatchObject({ type: part.type })
    if ('text' in part && same && 'text' in same) expect(same.text.startsWith(part.text)).toBe(true)
  }
}

interface Seen {
  readonly state: SessionState
  readonly last: AgentEvent
}

/** A process of its own: its clock may stand still while the others' go on. */
interface Node {
  readonly session: AgentSession
  readonly clock: ManualClock
  readonly seen: Seen[]
  close(): Promise<void>
}

interface Reader {
  state: SessionState
  readonly seen: Seen[]
  readonly leave: AbortController
}

/** Three agents on one store and one bus that loses batches. */
class Cluster {
  readonly store: ReturnType<typeof memoryStore>
  readonly nodes: Node[] = []
  readonly readers: Reader[] = []
  /** Where someone was shown what came before what had been shown already. */
  readonly wentBack: number[] = []
  readonly #wall = manualClock(1_000_000)
  readonly #bus = memoryBus()
  readonly #choose: Choose
  /** Commands without an answer. */
  #asked = 0
  #paused: (() => void)[] = []
  #minted = 0

  constructor(choose: Choose) {
    this.#choose = choose
    this.store = memoryStore({ now: this.#wall.now })
  }

  async open(onInterrupted: 'finish' | 'resume'): Promise<void> {
    for (let i = 0; i < 3; i++) this.nodes.push(await this.#node(onInterrupted))
  }

  async #node(onInterrupted: 'finish' | 'resume'): Promise<Node> {
    const clock = manualClock(this.#wall.now())
    const agent = createAgent({
      model: scriptedModel([(request) => this.#reply(request)], { repeat: true }),
      tools: ['read', 'idempotent', 'write'].map((effect) =>
        defineTool({
          name: effect,
          description: '',
          effect: effect as 'read' | 'idempotent' | 'write',
          input: { type: 'object' },
          execute: async (_input, { output }) => {
            output(`${effect}…`)
            await this.#pause()
            return `${effect} done`
          },
        }),
      ),
      store: { ...this.store, close: async () => {} },
      bus: this.#lossy(),
      clock,
      ids: (prefix) => `${prefix}_${++this.#minted}`,
      random: () => 0,
      onInterrupted,
    })
    const session = await agent.session('s')
    const seen: Seen[] = []
    session.subscribe((state, { prev, events }) => {
      const last = events.at(-1)
      if (prev < (seen.at(-1)?.state.seq ?? 0)) this.wentBack.push(prev)
      if (last !== undefined) seen.push({ state, last })
    })
    return { session, clock, seen, close: () => agent.close({ drainMs: 0 }) }
  }

  #lossy(): SessionBus {
    return {
      ...this.#bus,
      close: async () => {},
      subscribe: (id, after, onBatch) =>
        this.#bus.subscribe(id, after, (batch) => this.#choose(6) > 0 && onBatch(batch)),
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => this.#paused.push(resolve))
  }

  /** Says something else every time, and comes to an end after a few turns. */
  #reply({ messages }: ModelRequest): ScriptedReply {
    const choose = this.#choose
    const last = messages.findLast((message) => message.role === 'user')
    const turn = messages.filter((message) => message.role === 'assistant' && message.runId === last?.runId).length
    const words = (n: number) => Array.from({ length: n }, () => ['one', 'zwei', '👩‍🚀', 'four'][choose(4)]).join(' ')
    const calls = Array.from({ length: turn < 3 ? choose(3) : 0 }, () => ({
      name: ['read', 'idempotent', 'write'][choose(3)] ?? 'read',
      input: { item: words(2) },
    }))
    const wait = () => this.#pause()
    const failure = choose(12) === 0 ? { cut: true as const } : {}
    return {
      reasoning: words(choose(4)),
      text: words(choose(6) + 1),
      calls,
      ...failure,
      before: wait,
      between: wait,
      beforeEnd: wait,
    }
  }

  async tick(): Promise<void> {
    for (const go of this.#paused.splice(0)) go()
    await settled()
  }

  /** Time passes, for all but a node that hangs. */
  async advance(ms: number, hanging?: Node): Promise<void> {
    this.#wall.advance(ms)
    for (const node of this.nodes) if (node !== hanging) node.clock.advance(ms)
    await settled()
  }

  /** A node hangs until its lease is over; another one is asked for something; then it wakes. */
  async takeOver(): Promise<void> {
    const [hanging, other] = [this.#choose(3), this.#choose(2)]
    const node = this.nodes[hanging] as Node
    for (let i = 0; i < LEASE_SECONDS; i++) await this.advance(1_000, node)
    this.say(this.nodes[(hanging + 1 + other) % 3] as Node)
    await settled()
    for (let i = 0; i < this.#choose(4); i++) await this.tick()
    node.clock.advance(LEASE_SECONDS * 1_000)
    await settled()
  }

  say({ session }: Node): void {
    const mode = this.#choose(2) === 0 ? 'steer' : 'queue'
    this.#ask(session.send(`Say ${this.#minted}.`, { mode }))
  }

  /** An owner that loses its lease cannot answer. */
  #ask(answer: Promise<unknown>): void {
    this.#asked++
    void answer.catch(() => {}).finally(() => this.#asked--)
  }

  /** Joins anywhere, with any state that anyone ever saw, even of another node. */
  join(): void {
    const all = this.nodes.flatMap(({ seen }) => seen)
    const from = all[this.#choose(all.length + 1)]?.state ?? initialState('s')
    const reader: Reader = { state: from, seen: [], leave: new AbortController() }
    const { session } = this.nodes[this.#choose(3)] as Node
    this.readers.push(reader)
    void (async () => {
      for await (const event of session.events({ after: from.seq, signal: reader.leave.signal })) {
        reader.state = reduce(reader.state, [event])
        reader.seen.push({ state: reader.state, last: event })
      }
    })()
  }

  async step(): Promise<void> {
    const node = this.nodes[this.#choose(3)] as Node
    switch (this.#choose(24)) {
      case 0:
        return this.takeOver()
      case 1:
      case 2:
        return this.say(node)
      case 3:
        return this.#ask(node.session.abort())
      case 4:
      case 5:
        return this.join()
      case 6:
        return this.advance(1_100)
      case 7:
      case 8:
        return this.advance(300)
      default:
        return this.tick()
    }
  }

  /** Until nothing is open and everyone has heard of it. */
  async finish(): Promise<void> {
    const isOpen = async () =>
      this.#asked > 0 ||
      (await this.store.get('s'))?.openRun !== undefined ||
      (await this.store.commands('s')).length > 0
    for (let i = 0; i < 2_000 && (await isOpen()); i++) {
      await this.tick()
      await this.advance(200)
    }
    for (let i = 0; i < 5; i++) await this.advance(1_000)
  }
}

async function history(seed: number, onInterrupted: 'finish' | 'resume'): Promise<void> {
  const cluster = new Cluster(chances(seed))
  await cluster.open(onInterrupted)
  cluster.say(cluster.nodes[0] as Node)
  for (let i = 0; i < STEPS; i++) await cluster.step()
  await cluster.finish()

  const log = await storedEvents(cluster.store)
  expect(brokenPromises(log)).toEqual([])
  expect(cluster.wentBack).toEqual([])
  const replay = new Map<number, SessionState>()
  let state = initialState('s')
  for (const event of log) {
    state = reduce(state, [event])
    replay.set(event.seq, state)
  }
  for (const { seen } of [...cluster.nodes, ...cluster.readers]) {
    for (const { state: shown, last } of seen) {
      const replayed = replay.get(last.seq)
      if (replayed !== undefined && !last.type.endsWith('-delta')) expectSame(shown, replayed)
    }
  }
  for (const { session } of cluster.nodes) {
    const { live: _live, ...shown } = session.state
    expect({ ...shown, live: state.live }).toEqual(state)
  }
  for (const reader of cluster.readers) {
    expect({ ...reader.state, live: state.live }).toEqual(state)
    reader.leave.abort()
  }
  await Promise.all(cluster.nodes.map((node) => node.close()))
}

test.each(['finish', 'resume'] as const)(
  'whoever looks, from wherever and from when on, sees what the store says: %s',
  async (onInterrupted) => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), (seed) => history(seed, onInterrupted)),
      { seed: 42, numRuns: HISTORIES },
    )
  },
  120_000,
)
