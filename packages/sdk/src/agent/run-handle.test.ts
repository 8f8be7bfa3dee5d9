import { describe, expect, test } from 'vitest'
import { StoreError } from '../protocol/errors.ts'
import type { AgentEvent } from '../protocol/events.ts'
import { reduce } from '../protocol/reduce.ts'
import { makeSeq } from '../protocol/seq.ts'
import { initialState } from '../protocol/state.ts'
import { memoryStore } from '../stores/memory.ts'
import type { SessionStore } from '../stores/store.ts'
import {
  agentWorld,
  collect,
  collectPatiently,
  ofType,
  stateWhere,
  storedEvents,
  types,
} from '../testing/agent-world.ts'
import { microtasks } from '../testing/microtasks.ts'
import { hold } from '../testing/recording-server.ts'
import { providerFailure } from '../testing/scripted-model.ts'
import { never, tool } from '../testing/tool-call.ts'

const WHOLE = ['input', 'run-start', 'message', 'turn-start', 'text-delta', 'message', 'usage', 'finish']
const said = (events: readonly AgentEvent[]) =>
  ofType(events, 'text-delta').reduce((text, delta) => text.slice(0, delta.from) + delta.text, '')

describe('following a run', () => {
  test('past, open or queued gives all of it', async () => {
    const gate = hold()
    const world = agentWorld(['One.', { text: 'Two.', beforeEnd: () => gate.opened }, 'Three.'])
    const session = await world.session()
    await session.run('1').result
    const open = session.run('2')
    await stateWhere(session, ({ pending }) => pending.message?.parts.length === 1)
    await session.send('3', { mode: 'queue' })
    const runs = ['run_in_1', open.id, 'run_in_3'].map((id) => session.follow(id))
    const reading = Promise.all(runs.map(collect))
    gate.open()
    const [past = [], now = [], queued = []] = await reading
    expect([types(past), types(now)]).toEqual([WHOLE, WHOLE.toSpliced(5, 0, 'input')])
    expect(types(queued)).toEqual(WHOLE.slice(1))
    expect((await Promise.all(runs.map(({ result }) => result))).map(({ text }) => text)).toEqual([
      'One.',
      'Two.',
      'Three.',
    ])
  })

  test('that does not exist is an error, also while another one talks', async () => {
    const world = agentWorld([{ text: 'Hello', beforeEnd: () => never() }])
    const session = await world.session()
    const unknown = { reason: 'error', error: { code: 'session.unknown-run' } }
    expect(await session.follow('run_x').result).toMatchObject(unknown)
    const run = session.run('1')
    expect(await session.follow('run_x').result).toMatchObject(unknown)
    expect(await collect(session.follow('run_x'))).toEqual([])
    await stateWhere(session, ({ status }) => status === 'running')
    await session.abort()
    await run.result
  })
})

describe('readers', () => {
  test('any number, early or late, see the same', async () => {
    const gate = hold()
    const world = agentWorld([{ text: 'One two three.', beforeEnd: () => gate.opened }])
    const session = await world.session()
    const run = session.run('1')
    const early = [collect(run), collect(run)]
    await stateWhere(session, ({ pending }) => JSON.stringify({ ...pending.message }).includes('three.'))
    const middle = collect(run)
    gate.open()
    const [first = [], second, third = []] = await Promise.all([...early, middle])
    expect(second).toEqual(first)
    const late = await collect(run)
    expect([types(third), types(late), said(third), said(late)]).toEqual([WHOLE, WHOLE, said(first), 'One two three.'])
  })

  test('leaving detaches and never stops the run', async () => {
    const world = agentWorld(['One.', 'Two.'])
    const session = await world.session()
    const run = session.run('1')
    for await (const event of run) if (event.type === 'run-start') break
    expect(await run.text()).toBe('One.')
    await session.run('2').result
    await microtasks()
    expect(world.clock.pending).toBe(0)
  })

  test('as slow as they like get everything, merged, and hold little', async () => {
    const words = Array.from({ length: 20_000 }, (_, i) => ({ type: 'text' as const, part: 0, text: `${i} ` }))
    const world = agentWorld([[...words.map((word) => [word]), [{ type: 'done', stop: 'stop' }]]])
    const session = await world.session()
    const run = session.run('1')
    const seen: AgentEvent[] = []
    let isFirst = true
    for await (const event of run) {
      seen.push(event)
      if (isFirst) await run.result
      isFirst = false
    }
    expect(types(seen)).toEqual(WHOLE)
    expect(said(seen)).toBe(words.map(({ text }) => text).join(''))
    expect(seen.length).toBeLessThan(8_300)
  })

  test('behind by more than a page read it page by page', async () => {
    const world = agentWorld(['Done.'])
    const notices = Array.from({ length: 3_000 }, (_, i): AgentEvent => {
      return { type: 'notice', seq: makeSeq(1, i + 1), at: 0, code: `n${i}`, text: '' }
    })
    await world.session()
    const lease = await world.store.acquire('s', { owner: 'h:1:x', ttlMs: 1_000 })
    await world.store.append('s', notices, { generation: lease.generation })
    await lease.release()
    const session = await world.session()
    await session.run('1').result
    const stored = await storedEvents(world.store)
    const seen: AgentEvent[] = []
    for await (const event of session.events()) {
      seen.push(event)
      if (event.type === 'finish') break
    }
    expect(seen).toEqual(stored)
    expect(reduce(initialState('s'), seen)).toEqual(session.state)
  })

  test('of a session go on between runs, from wherever they were, until they are told to end', async () => {
    const world = agentWorld(['One.', 'Two.'])
    const session = await world.session()
    await session.run('1').result
    const after = session.state.seq
    const controller = new AbortController()
    const reading = collect(session.events({ after, signal: controller.signal }))
    await session.run('2').result
    controller.abort()
    expect(types(await reading)).toEqual(WHOLE)
    const rest = collect(session.events({ after }))
    await microtasks()
    await session.close()
    expect(types(await rest)).toEqual(WHOLE)
  })
})

describe('a signal (case 31)', () => {
  test('stops its run', async () => {
    const world = agentWorld([{ text: 'Hello', beforeEnd: () => never() }])
    const session = await world.session()
    const controller = new AbortController()
    const run = session.run('1', { signal: controller.signal })
    await stateWhere(session, ({ pending }) => pending.message?.parts.length === 1)
    controller.abort()
    expect(await run.result).toMatchObject({ reason: 'aborted', text: 'Hello', recorded: true })
  })

  test('in the same tick stops it too; aborted before, the run never begins', async () => {
    const world = agentWorld([{ text: 'Hello', beforeEnd: () => never() }])
    const session = await world.session()
    const controller = new AbortController()
    const run = session.run('1', { signal: controller.signal })
    controller.abort()
    expect(await run.result).toMatchObject({ reason: 'aborted', recorded: true })
    const late = session.run('2', { signal: controller.signal })
    expect(await late.result).toMatchObject({ reason: 'aborted', recorded: false, error: { code: 'session.aborted' } })
    expect(await collect(late)).toEqual([])
    expect(ofType(await storedEvents(world.store), 'run-start')).toHaveLength(1)
  })

  test('that lives long gathers no listeners, and hears nothing afterwards', async () => {
    const failing = { error: providerFailure('provider.overloaded', { retryable: true }) }
    const calling = { calls: ['probe', 'look', 'look'].map((name) => ({ name })) }
    let called = 0
    const steps = [failing, ...Array.from({ length: 9 }, () => calling), 'Done.']
    const world = agentWorld(Array.from({ length: 30 }, () => steps).flat(), {
      tools: [tool(() => `x${called++}`), tool(() => 'y', { name: 'look', effect: 'read' })],
    })
    const session = await world.session()
    const controller = new AbortController()
    const { signal } = controller
    let listeners = 0
    let most = 0
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      most = Math.max(most, ++listeners)
      add(...args)
    }
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners--
      remove(...args)
    }
    const warnings: string[] = []
    const onWarning = ({ name }: Error) => void warnings.push(name)
    process.on('warning', onWarning)
    for (let i = 0; i < 30; i++) {
      const run = session.run('Go', { signal })
      await collectPatiently(run, world.clock)
      expect(await run.result).toMatchObject({ reason: 'stop' })
      expect(listeners).toBe(0)
    }
    await microtasks()
    expect([most, warnings, world.clock.pending]).toEqual([1, [], 0])
    controller.abort()
    await microtasks()
    expect(session.state.status).toBe('idle')
    process.off('warning', onWarning)
  })
})

describe('when the store fails', () => {
  const locked = new StoreError('store.locked', 'The database is locked.', { retryable: true })

  function failing(isHit: (events: readonly AgentEvent[]) => boolean, times: number) {
    const inner = memoryStore()
    let left = times
    const store: SessionStore = {
      ...inner,
      async append(id, events, options) {
        if (left > 0 && isHit(events)) {
          left--
          throw locked
        }
        return inner.append(id, events, options)
      },
    }
    return store
  }
  const isReply = (events: readonly AgentEvent[]) =>
    events.some((event) => event.type === 'message' && event.message.role === 'assistant')

  test('once, nobody notices (case 43 E)', async () => {
    const store = failing(isReply, 1)
    const world = agentWorld(['Hello.'], { store })
    const session = await world.session()
    const run = session.run('1')
    await stateWhere(session, ({ pending }) => pending.message?.parts.length === 1)
    await microtasks()
    world.clock.advance(50)
    expect(await run.result).toMatchObject({ reason: 'stop', recorded: true })
    expect(types(await storedEvents(store))).toEqual(['session-created', ...WHOLE])
  })

  test('for good, the run ends unrecorded, and the next owner writes its end', async () => {
    const store = failing(isReply, 5)
    const world = agentWorld(['Hello.', 'Again.'], { store })
    const session = await world.session()
    const run = session.run('1')
    const reading = collect(run)
    await stateWhere(session, ({ pending }) => pending.message?.parts.length === 1)
    for (let i = 0; i < 5; i++) {
      await microtasks()
      world.clock.advance(2_000)
    }
    expect(await run.result).toMatchObject({
      reason: 'error',
      recorded: false,
      error: { code: 'store.locked' },
      text: '',
    })
    expect(types(await reading).at(-1)).toBe('text-delta')
    expect(session.state).toMatchObject({ status: 'running', live: { fault: { code: 'store.locked' } } })
    expect(await session.run('2').text()).toBe('Again.')
    expect(session.state.live).not.toHaveProperty('fault')
    const stored = await storedEvents(store)
    expect(ofType(stored, 'finish').map(({ reason }) => reason)).toEqual(['interrupted', 'stop'])
    expect(session.state.history.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
  })

  test('at the very beginning, the run never began', async () => {
    const world = agentWorld(['never'], { store: failing(() => true, 5) })
    const session = await world.session()
    const run = session.run('1')
    for (let i = 0; i < 6; i++) {
      await microtasks()
      world.clock.advance(2_000)
    }
    expect(await run.result).toMatchObject({ reason: 'error', recorded: false, error: { code: 'store.locked' } })
    expect([await collect(run), world.model.requests]).toEqual([[], []])
  })
})

test('usage that is missing or partial never becomes NaN (case 33)', async () => {
  const usages = [null, { inputTokens: 100 }, { inputTokens: 7, outputTokens: 3 }, { totalTokens: 50 }, {}]
  const steps = usages.map((usage, i) => ({ text: 'x', usage, ...(i < 4 && { calls: [{ name: 'probe' }] }) }))
  const world = agentWorld(steps, { tools: [tool(() => 'x')] })
  const session = await world.session()
  const { usage } = await session.run('1').result
  expect(usage.run).toMatchObject({ requests: 5, incomplete: true, estimated: true })
  const numbers = Object.values(usage.run).filter((value) => typeof value === 'number')
  expect(numbers.every(Number.isFinite)).toBe(true)
  expect(JSON.stringify(await storedEvents(world.store))).not.toContain('null')
})
