// Each of these went wrong once: something came at the one moment when nobody expected it.
import { expect, test } from 'vitest'
import { SessionError } from '../protocol/errors.ts'
import type { Question } from '../protocol/requests.ts'
import { memoryStore } from '../stores/memory.ts'
import type { SessionStore } from '../stores/store.ts'
import { agentWorld, ofType, results, stateWhere, storedEvents } from '../testing/agent-world.ts'
import { manualClock } from '../testing/manual-clock.ts'
import { brokenPromises } from '../testing/promises.ts'
import { hold } from '../testing/recording-server.ts'
import { never, tool } from '../testing/tool-call.ts'

const question: Question = {
  id: 'q',
  header: 'Which',
  question: 'Which one?',
  options: [{ label: 'this' }, { label: 'that' }],
}

/** Everything that is about to happen, happens. */
async function settled(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise<void>((resolve) => setImmediate(resolve))
}

test('a run that begins while the end of the one before is being stored is begun once', async () => {
  const store = memoryStore({ now: () => 1_000_000 })
  const finishing = hold()
  const slow = hold()
  const world = agentWorld(['One.', { text: 'Two.', beforeEnd: () => never() }], {
    store: {
      ...store,
      async append(id, events, options) {
        if (events.some(({ type }) => type === 'finish')) {
          finishing.open()
          await slow.opened
        }
        return store.append(id, events, options)
      },
    },
  })
  const session = await world.session()
  const first = session.run('1')
  await finishing.opened
  const second = session.run('2')
  await settled()
  slow.open()
  await first.result
  await stateWhere(session, ({ run, pending }) => run?.id === second.id && pending.message?.parts.length === 1)
  await session.update({ title: 'Anything' })
  await settled()
  expect(world.model.requests).toHaveLength(2)
  await session.abort()
  expect(await second.result).toMatchObject({ reason: 'aborted', text: 'Two.' })
  expect(brokenPromises(await storedEvents(store))).toEqual([])
})

test('a call that reads and has to be approved is asked for once, while its neighbour still runs', async () => {
  const gate = hold()
  const look = tool(() => 'seen', { name: 'look', effect: 'read', needsApproval: true })
  const work = tool(() => gate.opened, { name: 'work' })
  const world = agentWorld([{ calls: [{ name: 'look' }, { name: 'work' }] }, 'Done.'], { tools: [look, work] })
  const session = await world.session()
  const run = session.run('Go')
  await stateWhere(session, ({ pending, live }) => pending.requests.length === 1 && live.calls.call_2?.running === true)
  await session.resolve('req_call_1', 'allow-once')
  await settled()
  gate.open()
  expect(await run.result).toMatchObject({ reason: 'stop' })
  expect(results(session.state)[0]).toMatchObject({ outcome: 'ok', output: 'seen' })
  expect(ofType(await storedEvents(world.store), 'request')).toHaveLength(1)
})

test('a lease lost while a stopped run still asks its policy ends the run here, and nothing spins', async () => {
  const store = memoryStore({ now: () => 1_000_000 })
  const deciding = hold()
  let isLost = false
  const append: SessionStore['append'] = async (...args) => {
    if (isLost) throw new SessionError('session.lease-lost', 'Another process took the session over.')
    return store.append(...args)
  }
  const decide = () => {
    deciding.open()
    return never()
  }
  const world = agentWorld([{ calls: [{ name: 'probe' }] }], {
    store: { ...store, append },
    tools: [tool(() => 'x')],
    permissions: { decide },
  })
  const session = await world.session()
  session.run('Go')
  await deciding.opened
  isLost = true
  await expect(session.abort()).rejects.toMatchObject({ code: 'session.lease-lost' })
  await settled()
})

test('a question that a resumed call had asked is asked on by it, and not parked over and over', async () => {
  const clock = manualClock(1_000_000)
  const store = memoryStore({ now: clock.now })
  let appends = 0
  const counting: SessionStore = {
    ...store,
    close: async () => {},
    async append(...args) {
      if (++appends > 100) return never()
      return store.append(...args)
    },
  }
  const asking = tool(async (_input, ctx) => ctx.ask([question]), { effect: 'idempotent' })
  const first = agentWorld([{ calls: [{ name: 'probe' }] }], { clock, store: counting, tools: [asking] })
  const before = await first.session()
  before.run('Go')
  await stateWhere(before, ({ pending }) => pending.requests.length === 1)
  await first.agent.close({ drainMs: 0 })

  const second = agentWorld(['Done.'], {
    clock,
    store: counting,
    tools: [asking],
    onInterrupted: 'resume',
    ids: (prefix) => `${prefix}_later`,
  })
  const session = await second.session()
  await settled()
  expect(appends).toBeLessThan(20)
  await session.resolve('req_call_1_1', { answers: { q: ['that'] } })
  await stateWhere(session, ({ run }) => run === undefined)
  expect(results(session.state)).toMatchObject([
    { outcome: 'ok', output: { answers: { q: ['that'] }, skipped: false }, recovery: 'replayed' },
  ])
  expect(brokenPromises(await storedEvents(store))).toEqual([])
})

test('a tool that was abandoned asks nobody, also while the next run is open', async () => {
  const gate = hold()
  let late: unknown
  const deaf = tool(async (_input, ctx) => {
    await gate.opened
    late = await ctx.ask([question]).catch((thrown: unknown) => thrown)
  })
  const hanging = { text: 'Hm', beforeEnd: () => never() }
  const world = agentWorld([{ calls: [{ name: 'probe' }] }, hanging], { tools: [deaf] })
  const session = await world.session()
  const run = session.run('Go')
  await stateWhere(session, ({ live }) => live.calls.call_1?.running === true)
  const aborted = session.abort()
  const next = await session.send('And now?')
  await aborted
  await run.result
  await stateWhere(session, (state) => state.run?.id === next.runId && state.pending.message?.parts.length === 1)
  gate.open()
  await settled()
  expect(late).toMatchObject({ code: 'session.aborted' })
  expect(session.state.pending.requests).toEqual([])
  await session.abort()
  await stateWhere(session, (state) => state.run === undefined)
  expect(brokenPromises(await storedEvents(world.store))).toEqual([])
})

test('an input that is handed back in the moment its run would begin does not begin one', async () => {
  for (let moment = 0; moment < 80; moment++) {
    const gate = hold()
    const world = agentWorld([{ text: 'One.', beforeEnd: () => gate.opened }, 'Two.'])
    const session = await world.session()
    const run = session.run('1')
    await session.send('2', { mode: 'queue' })
    gate.open()
    for (let i = 0; i < moment; i++) await undefined
    await session.abort()
    await run.result
    await stateWhere(session, (state) => state.run === undefined)
    expect([moment, brokenPromises(await storedEvents(world.store))]).toEqual([moment, []])
  }
})

test('a run that its owner refuses when nobody waits for the receipt any more is over', async () => {
  const clock = manualClock(1_000_000)
  const store = memoryStore({ now: clock.now })
  const slow = hold()
  let isSlow = false
  const busy = agentWorld([{ text: 'Hm', beforeEnd: () => never() }], {
    clock,
    store: {
      ...store,
      async commands(id) {
        if (isSlow) await slow.opened
        return store.commands(id)
      },
    },
  })
  const there = await busy.session()
  there.run('1')
  await stateWhere(there, ({ pending }) => pending.message?.parts.length === 1)
  isSlow = true
  const here = await agentWorld([], { clock, store, ids: (prefix) => `${prefix}_here` }).session()
  const run = here.run('2')
  let over: unknown
  void run.result.then(({ error }) => {
    over = error?.code
  })
  const pass = async (ms: number) => {
    for (let at = 0; at < ms; at += 500) {
      await settled()
      clock.advance(500)
    }
    await settled()
  }
  await pass(15_000)
  expect(over).toBeUndefined()
  slow.open()
  await pass(2_000)
  expect(over).toBe('session.busy')
})

test('a call that began early is stopped with its run, also when the reply had just ended', async () => {
  for (let moment = 0; moment < 40; moment++) {
    const gate = hold()
    let signal: AbortSignal | undefined
    const began = hold()
    const look = tool(
      (_input, ctx) => {
        signal = ctx.signal
        began.open()
        return never()
      },
      { effect: 'read' },
    )
    const store = memoryStore({ now: () => 1_000_000 })
    const slow: SessionStore = {
      ...store,
      async append(id, events, options) {
        if (events.some(({ type }) => type === 'abort')) await settled()
        return store.append(id, events, options)
      },
    }
    const world = agentWorld([{ calls: [{ name: 'probe' }], beforeEnd: () => gate.opened }], {
      tools: [look],
      store: slow,
    })
    const session = await world.session()
    const run = session.run('Go')
    await began.opened
    gate.open()
    for (let i = 0; i < moment; i++) await undefined
    await session.abort()
    expect(await run.result).toMatchObject({ reason: 'aborted' })
    expect([moment, signal?.aborted]).toEqual([moment, true])
  }
})

test('nothing is asked for once the abort is sequenced, also when its call was being checked', async () => {
  const checking = hold()
  const checked = hold()
  const stopping = hold()
  const store = memoryStore({ now: () => 1_000_000 })
  const slow: SessionStore = {
    ...store,
    async append(id, events, options) {
      if (events.some(({ type }) => type === 'abort')) {
        stopping.open()
        await settled()
      }
      return store.append(id, events, options)
    },
  }
  const needsApproval = async () => {
    checking.open()
    await checked.opened
    return true
  }
  const world = agentWorld([{ calls: [{ name: 'probe' }] }], {
    store: slow,
    tools: [tool(() => 'x', { needsApproval })],
  })
  const session = await world.session()
  const run = session.run('Go')
  await checking.opened
  const aborting = session.abort()
  await stopping.opened
  checked.open()
  await aborting
  expect(await run.result).toMatchObject({ reason: 'aborted' })
  const log = await storedEvents(store)
  expect(ofType(log, 'request')).toEqual([])
  expect(brokenPromises(log)).toEqual([])
})
