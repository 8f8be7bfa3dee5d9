import { expect, test } from 'vitest'
import { createAgent } from '../src/agent/create-agent.ts'
import { memoryBus } from '../src/bus/memory.ts'
import type { Receipt } from '../src/protocol/commands.ts'
import { StoreError } from '../src/protocol/errors.ts'
import { type AgentEvent, isDurable } from '../src/protocol/events.ts'
import { memoryStore } from '../src/stores/memory.ts'
import type { SessionStore } from '../src/stores/store.ts'
import { stateWhere, storedEvents } from '../src/testing/agent-world.ts'
import { manualClock } from '../src/testing/manual-clock.ts'
import { microtasks } from '../src/testing/microtasks.ts'
import { type Life, life, mortalBus, mortalStore } from '../src/testing/mortal.ts'
import { brokenPromises } from '../src/testing/promises.ts'
import { GO, LAST_WORDS, sixTurns } from './fixtures/six-turns.ts'
import {
  expectAllSaid,
  expectKept,
  expectNoWriteTwice,
  expectTrueResults,
  expectWhole,
  fold,
} from './fixtures/survival.ts'

/** What survives every process: the store, and what the tools did. */
function world() {
  const clock = manualClock(1_000_000)
  let minted = 0
  return {
    clock,
    store: memoryStore({ now: clock.now }),
    effects: [] as string[],
    ids: (prefix: string) => `${prefix}_${++minted}`,
  }
}

type World = ReturnType<typeof world>

/** A process with an agent, whose every append, publication and effect is a step. */
function start({ clock, store, effects, ids }: World, alive: Life, onInterrupted: 'finish' | 'resume') {
  const { model, tools } = sixTurns({
    async pause() {
      clock.advance(400)
      await alive.survive()
    },
    async act(effect, key) {
      await alive.survive()
      effects.push(`${effect} ${key}`)
      await alive.survive()
    },
  })
  const bus = mortalBus(memoryBus(), alive)
  return createAgent({ model, tools, store: mortalStore(store, alive), bus, clock, ids, onInterrupted })
}

/** The first process: runs the six turns, with a steer and a queued input on the way, for as long as it lives. */
async function firstLife(world: World, alive: Life, onInterrupted: 'finish' | 'resume') {
  const stored = new Set<number>()
  const shown: AgentEvent[] = []
  const receipts: Receipt[] = []
  const unstored: AgentEvent[] = []
  let flushed = 0
  const store: SessionStore = {
    ...world.store,
    async append(id, events, options) {
      const before = shown.length
      await world.store.append(id, events, options)
      for (const { seq } of events) stored.add(seq)
      flushed = before
    },
  }
  const agent = start({ ...world, store }, alive, onInterrupted)
  const session = await agent.session('s')
  session.subscribe((_state, { events }) => {
    if (alive.isOver) return
    unstored.push(...events.filter((event) => isDurable(event) && !stored.has(event.seq)))
    shown.push(...events)
  })
  const send = (mode: 'steer' | 'queue') =>
    void session.send(`Also, by ${mode}.`, { mode }).then((receipt) => alive.isOver || receipts.push(receipt))
  const run = session.run(GO)
  void stateWhere(session, (state) => state.run?.turn === 2).then(() => send('steer'))
  void stateWhere(session, (state) => state.run?.turn === 3).then(() => send('queue'))
  const queueTaken = stateWhere(session, (state) => state.lastFinish !== undefined && state.run === undefined)
  await Promise.race([Promise.all([run.result, queueTaken]), alive.over])
  return { session, shown, shownUnstored: unstored, receipts, flushed: () => shown.slice(0, flushed) }
}

const lives = await countSteps()

async function countSteps(): Promise<number[]> {
  const alive = life()
  const { session, shown, shownUnstored, flushed } = await firstLife(world(), alive, 'finish')
  expect(session.state.lastFinish?.reason).toBe('stop')
  expect(shown.filter(({ type }) => type === 'finish')).toHaveLength(2)
  expect(shownUnstored).toEqual([])
  expect(flushed().length).toBeGreaterThan(0)
  return Array.from({ length: alive.steps }, (_, i) => i + 1)
}

/** A process on the same machine as one that is gone need not wait for its lease. */
function reopened(store: SessionStore): SessionStore {
  return { ...store, acquire: (id, options) => store.acquire(id, { ...options, takeover: true }) }
}

test.each(['finish', 'resume'] as const)('dies at every step and is reopened: %s', async (onInterrupted) => {
  expect(lives.length).toBeGreaterThan(200)
  for (const diesAt of lives) {
    const here = world()
    const first = await firstLife(here, life(diesAt), onInterrupted)
    const left = await storedEvents(here.store)
    const wasOpen = fold(left).run !== undefined
    expect(first.shownUnstored).toEqual([])
    expect(brokenPromises(left, { isOpen: true })).toEqual([])
    expectKept(first.flushed(), left)

    const agent = start({ ...here, store: reopened(here.store) }, life(), onInterrupted)
    const session = await agent.session('s')
    if (onInterrupted === 'finish') {
      expect(session.state.run).toBeUndefined()
      if (wasOpen) expect(session.state.lastFinish?.reason).toBe('interrupted')
      expectKept(left, await storedEvents(here.store))
    } else if (wasOpen) {
      await stateWhere(session, (state) => state.run === undefined)
      expectAllSaid(session.state)
    }

    expect(await session.run('And now?').text()).toBe('Very well.')
    await stateWhere(session, (state) => state.run === undefined)
    const log = await storedEvents(here.store)
    expectWhole(log, session.state)
    expect(session.state.pending.lanes.queue).toEqual([])
    const { history } = session.state
    for (const { inputId } of first.receipts) expect(history.some(({ id }) => id === inputId)).toBe(true)
    expectNoWriteTwice(here.effects)
    expectTrueResults(session.state, here.effects)
    await agent.close()
  }
})

type Failure = 'is not stored' | 'is stored and reported as failed' | 'and every later one fail'

/** The append of that number fails; the wait before the next try passes at once. */
function failing({ store, clock }: World, failsAt: number, failure: Failure) {
  let appends = 0
  let healed = false
  const fail = (): never => {
    void microtasks().then(() => clock.advance(2_000))
    throw new StoreError('store.unavailable', 'The disk is gone.', { retryable: true })
  }
  const append: SessionStore['append'] = async (...args) => {
    const number = ++appends
    if (failure === 'and every later one fail' && number >= failsAt && !healed) fail()
    if (failure === 'is not stored' && number === failsAt) fail()
    await store.append(...args)
    if (failure === 'is stored and reported as failed' && number === failsAt) fail()
  }
  return {
    store: { ...store, append },
    heal: () => {
      healed = true
    },
    get appends() {
      return appends
    },
  }
}

async function runOn(here: World, disk: ReturnType<typeof failing>) {
  const agent = start({ ...here, store: disk.store }, life(), 'finish')
  const session = await agent.session('s')
  const shown: AgentEvent[] = []
  session.subscribe((_state, { events }) => shown.push(...events))
  return { agent, session, shown, result: await session.run(GO).result }
}

const undisturbed = world()
const disk = failing(undisturbed, Number.POSITIVE_INFINITY, 'is not stored')
await runOn(undisturbed, disk)
const everyAppend = Array.from({ length: disk.appends }, (_, i) => i + 1)

test.each(['is not stored', 'is stored and reported as failed'] as const)(
  'whichever append %s, the run goes on as if nothing had been',
  async (failure) => {
    for (const failsAt of everyAppend) {
      const here = world()
      const { agent, session, shown, result } = await runOn(here, failing(here, failsAt, failure))
      expect(result).toMatchObject({ reason: 'stop', recorded: true, text: LAST_WORDS })
      expect(here.effects.toSorted()).toEqual(undisturbed.effects.toSorted())
      const log = await storedEvents(here.store)
      expectWhole(log, session.state)
      expect(fold(shown).history).toEqual(fold(log).history)
      await agent.close()
    }
  },
)

test('whichever append and every later one fail, the run ends unrecorded, and the next input closes it', async () => {
  for (const failsAt of everyAppend) {
    const here = world()
    const disk = failing(here, failsAt, 'and every later one fail')
    const { agent, session, shown, result } = await runOn(here, disk)
    expect(result).toMatchObject({ reason: 'error', recorded: false, error: { code: 'store.unavailable' } })
    expect(shown.some(({ type }) => type === 'finish')).toBe(false)
    const effects = [...here.effects]
    disk.heal()
    expect(await session.run('And now?').text()).toBe('Very well.')
    const log = await storedEvents(here.store)
    expectWhole(log, session.state)
    expect(session.state.live).toEqual(fold(log).live)
    expectKept(shown.filter(isDurable), log)
    expect(here.effects).toEqual(effects)
    expectNoWriteTwice(here.effects)
    await agent.close()
  }
})
