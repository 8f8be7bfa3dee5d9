import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { reduce } from '../protocol/reduce.ts'
import { initialState } from '../protocol/state.ts'
import {
  agentWorld,
  collect,
  collectPatiently,
  ofType,
  results,
  stateWhere,
  storedEvents,
  types,
} from '../testing/agent-world.ts'
import { microtasks } from '../testing/microtasks.ts'
import { hold } from '../testing/recording-server.ts'
import { providerFailure } from '../testing/scripted-model.ts'
import { tool } from '../testing/tool-call.ts'

describe('a call that only reads', () => {
  test('starts while the model talks, and is seen only after its message', async () => {
    const started = hold()
    const order: string[] = []
    const read = tool(
      (_input, { output }) => {
        order.push('started')
        started.open()
        output('looking')
        return 'found'
      },
      { effect: 'read' },
    )
    const reply = {
      calls: [{ name: 'probe' }],
      beforeEnd: async () => {
        await started.opened
        await microtasks()
        order.push('end of the reply')
      },
    }
    const world = agentWorld([reply, 'Done.'], { tools: [read] })
    const session = await world.session()
    const events = await collect(session.run('Go'))
    expect(order).toEqual(['started', 'end of the reply'])
    expect(types(events).slice(4)).toEqual([
      'tool-input-delta',
      'message',
      'usage',
      'tool-call',
      'tool-start',
      'tool-output',
      'tool-result',
      'turn-start',
      'text-delta',
      'message',
      'usage',
      'finish',
    ])
    expect(ofType(events, 'tool-output')).toMatchObject([{ text: 'looking' }])
    expect(ofType(await storedEvents(world.store), 'tool-start')).toEqual([])
  })

  test('is thrown away with its attempt, and runs again in the next', async () => {
    const aborted: boolean[] = []
    let ran = 0
    const read = tool(
      (_input, { signal }) => {
        signal.addEventListener('abort', () => aborted.push(true))
        return `found ${++ran}`
      },
      { effect: 'read' },
    )
    const overloaded = providerFailure('provider.overloaded', { retryable: true })
    const calling = { calls: [{ name: 'probe' }], beforeEnd: () => microtasks() }
    const world = agentWorld([{ ...calling, error: overloaded }, calling, 'Done.'], { tools: [read] })
    const session = await world.session()
    const events = await collectPatiently(session.run('Go'), world.clock)
    expect(ofType(events, 'tool-result').map(({ result }) => result.output)).toEqual(['found 2'])
    expect(results(session.state)).toHaveLength(1)
  })

  test('is stopped when the reply fails while it runs', async () => {
    const heard = hold()
    const started = hold()
    const read = tool(
      (_input, { signal }) => {
        signal.addEventListener('abort', heard.open)
        started.open()
        return new Promise(() => {})
      },
      { effect: 'read' },
    )
    const failing = { calls: [{ name: 'probe' }], beforeEnd: () => started.opened, cut: true as const }
    const world = agentWorld([failing], { tools: [read], retries: { max: 0 } })
    const session = await world.session()
    expect(await session.run('Go').result).toMatchObject({ reason: 'error' })
    await heard.opened
    expect(results(session.state)).toMatchObject([{ outcome: 'aborted' }])
  })

  test('hears an abort after its message too', async () => {
    const read = tool(() => new Promise(() => {}), { effect: 'read' })
    const world = agentWorld([{ calls: [{ name: 'probe' }] }], { tools: [read] })
    const session = await world.session()
    const run = session.run('Go')
    await stateWhere(session, ({ live }) => live.calls.call_1?.running === true)
    await session.abort()
    expect(await run.result).toMatchObject({ reason: 'aborted' })
    expect(results(session.state)).toMatchObject([{ outcome: 'aborted' }])
  })
})

describe('calls of one message', () => {
  test('fail alone, finish in any order, and are told in theirs (case 39)', async () => {
    const gates = { slow: hold(), quick: hold() }
    let running = 0
    let most = 0
    const named = (name: 'slow' | 'quick') =>
      tool(
        async ({ n }: { n?: number } & object) => {
          most = Math.max(most, ++running)
          await gates[name].opened
          running--
          return `${name} ${n}`
        },
        { name, effect: 'read' },
      )
    const broken = tool(() => Promise.reject(new Error('no luck')), { name: 'broken', effect: 'read' })
    const calls = [
      { name: 'slow', id: 'k1', input: { n: 1 } },
      { name: 'broken', id: 'k2' },
      { name: 'quick', id: 'k3', input: { n: 3 } },
      { name: 'quick', id: 'k3', input: { n: 4 } },
    ]
    const world = agentWorld([{ calls }, 'Done.'], { tools: [named('slow'), named('quick'), broken] })
    const session = await world.session()
    const run = session.run('Go')
    const reading = collect(run)
    await stateWhere(session, ({ pending }) => Object.keys(pending.calls).length === 3)
    gates.quick.open()
    await stateWhere(session, ({ pending }) => Object.keys(pending.calls).length === 1)
    gates.slow.open()
    const events = await reading
    expect(ofType(events, 'tool-result').map(({ result }) => result.callId)).toEqual([
      'call_2',
      'call_3',
      'call_4',
      'call_1',
    ])
    expect(results(session.state).map(({ callId, outcome, output }) => [callId, outcome, output])).toEqual([
      ['call_1', 'ok', 'slow 1'],
      ['call_2', 'error', expect.stringContaining('no luck')],
      ['call_3', 'ok', 'quick 3'],
      ['call_4', 'ok', 'quick 4'],
    ])
    expect([most, (await run.result).reason]).toEqual([3, 'stop'])
  })

  test('run at most eight at once', async () => {
    const gate = hold()
    let running = 0
    let most = 0
    const read = tool(
      async () => {
        most = Math.max(most, ++running)
        if (running === 8) gate.open()
        await gate.opened
        running--
      },
      { effect: 'read' },
    )
    const world = agentWorld([{ calls: Array.from({ length: 20 }, () => ({ name: 'probe' })) }, 'ok'], {
      tools: [read],
    })
    const session = await world.session()
    await session.run('Go').result
    expect([most, results(session.state).length]).toEqual([8, 20])
  })

  test('that only read take time that grows with their number', async () => {
    const calls = Array.from({ length: 4_000 }, (_, n) => ({ name: 'probe', input: { n } }))
    const world = agentWorld([{ calls }, 'ok'], { tools: [tool(() => 'found', { effect: 'read' })] })
    const session = await world.session()
    expect(await session.run('Go').result).toMatchObject({ reason: 'stop' })
    expect(results(session.state)).toHaveLength(4_000)
  }, 15_000)

  test('that change something run in order, one at a time', async () => {
    const order: string[] = []
    const write = tool(async ({ n }: { n?: number } & object) => {
      order.push(`${n} starts`)
      await microtasks()
      order.push(`${n} ends`)
    })
    const calls = [1, 2].map((n) => ({ name: 'probe', input: { n } }))
    const world = agentWorld([{ calls }, 'ok'], { tools: [write] })
    const session = await world.session()
    await session.run('Go').result
    expect(order).toEqual(['1 starts', '1 ends', '2 starts', '2 ends'])
  })

  test('get an idempotency key of their own', async () => {
    const keys: string[] = []
    const write = tool((_input, { idempotencyKey }) => void keys.push(idempotencyKey))
    const world = agentWorld([{ calls: [{ name: 'probe' }, { name: 'probe' }] }, 'ok'], { tools: [write] })
    const session = await world.session()
    await session.run('Go').result
    expect(keys).toEqual(['run_in_1:call_1', 'run_in_1:call_2'])
  })
})

describe('calls that cannot run (case 36)', () => {
  test('are told why, and the run goes on', async () => {
    const read: string[] = []
    const reading = tool((input: object) => void read.push((input as { path: string }).path), {
      name: 'read',
      effect: 'read',
      input: z.object({ path: z.string() }),
    })
    const calls = [
      { name: 'raed', input: { path: 'a' } },
      { name: 'read', inputText: '{"path": "C:\\temp"' },
      { name: 'read', inputText: '"just a string"' },
      { name: 'read', input: { path: 5 } },
      { name: 'read', input: { path: 'ok', extra: 1 } },
    ]
    const world = agentWorld([{ calls }, 'sorry'], { tools: [reading] })
    const session = await world.session()
    const run = session.run('Go')
    const events = await collect(run)
    expect(read).toEqual(['ok'])
    expect(results(session.state).map(({ outcome, code }) => [outcome, code])).toEqual([
      ['error', 'tool.unknown'],
      ['error', 'tool.invalid-json'],
      ['error', 'tool.invalid-input'],
      ['error', 'tool.invalid-input'],
      ['ok', undefined],
    ])
    expect(`${results(session.state)[0]?.output}`).toMatch(/"raed".*read/s)
    expect(`${results(session.state)[3]?.output}`).toContain('path')
    expect(ofType(events, 'tool-result')).toHaveLength(5)
    expect(ofType(events, 'tool-start')).toHaveLength(1)
    expect(world.model.requests[1]?.messages.at(-1)).toMatchObject({
      parts: [{ input: { path: 'a' } }, { inputText: '{"path": "C:\\temp"' }, {}, {}, { input: { path: 'ok' } }],
    })
    expect(await run.text()).toBe('sorry')
  })

  test('a tool that is not enabled now is neither offered nor run', async () => {
    let ran = 0
    const probe = tool(() => void ran++, { enabled: () => false })
    const world = agentWorld([{ calls: [{ name: 'probe' }] }, 'ok'], { tools: [probe] })
    const session = await world.session()
    await session.run('Go').result
    expect([ran, results(session.state)[0]?.code, world.model.requests[0]?.tools]).toEqual([0, 'tool.disabled', []])
  })
})

describe('whatever a tool throws or returns (case 37)', () => {
  const circular: Record<string, unknown> = {}
  circular.self = circular
  const thrown: unknown[] = [
    undefined,
    null,
    'plain string',
    { code: 'ENOENT', message: 'no file' },
    new Error('x', { cause: new Error('root') }),
    {
      toString() {
        throw new Error('mine')
      },
    },
    Object.freeze(new Error('frozen')),
  ]
  const returned: unknown[] = [
    undefined,
    null,
    0,
    '',
    false,
    10n,
    { a: 1n },
    circular,
    {
      get x() {
        throw new Error('getter')
      },
    },
    new Map([['k', 1]]),
    new Date(0),
    Symbol('s'),
    () => 1,
    new Uint8Array(3),
    'x'.repeat(5_000_000),
    {
      toJSON() {
        throw new Error('j')
      },
    },
  ]

  test('becomes one result of each call, stored as it was sent', async () => {
    const throwing = tool(({ n }: { n?: number } & object) => {
      throw thrown[n ?? 0]
    })
    const returning = tool(({ n }: { n?: number } & object) => returned[n ?? 0], { name: 'returning' })
    const progress = tool(
      async function* () {
        yield 'half way'
        return 'value'
      },
      { name: 'progress' },
    )
    const calls = [
      ...thrown.map((_value, n) => ({ name: 'probe', input: { n } })),
      ...returned.map((_value, n) => ({ name: 'returning', input: { n } })),
      { name: 'progress' },
    ]
    const world = agentWorld([{ calls }, 'ok'], { tools: [throwing, returning, progress] })
    const session = await world.session()
    expect(await session.run('Go').result).toMatchObject({ reason: 'stop' })
    const all = results(session.state)
    expect(all).toHaveLength(calls.length)
    expect(all.slice(0, thrown.length).map(({ outcome }) => outcome)).toEqual(thrown.map(() => 'error'))
    expect(all.at(-1)).toMatchObject({ outcome: 'ok', output: 'value' })
    const stored = ofType(await storedEvents(world.store), 'tool-result').map(({ result }) => result)
    expect(JSON.parse(JSON.stringify(stored))).toEqual(all)
    const huge = all[thrown.length + returned.length - 2]
    expect(`${huge?.output}`.length).toBeLessThan(60_000)
  })
})

test('what a tool makes of its own input stays with the tool: what the model sent is shown and stored as it was', async () => {
  const careless = tool((input: object) => {
    Object.assign(input, { path: '/somewhere/else' })
    return 'ok'
  })
  const world = agentWorld([{ calls: [{ name: 'probe', input: { path: 'a' } }] }, 'Done.'], { tools: [careless] })
  const session = await world.session()
  await session.run('Go').result
  const { history } = reduce(initialState('s'), await storedEvents(world.store))
  expect(session.state.history).toEqual(history)
  expect(history[1]).toMatchObject({ parts: [{ type: 'tool-call', input: { path: 'a' } }] })
})
