import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, expect, test } from 'vitest'
import type { Hooks, Plugin } from '../plugins/plugin.ts'
import type { PermissionCall, PermissionPolicy } from '../protocol/permissions.ts'
import { reduce } from '../protocol/reduce.ts'
import { initialState } from '../protocol/state.ts'
import { agentWorld, ofType, results, stateWhere, storedEvents, types } from '../testing/agent-world.ts'
import { microtasks } from '../testing/microtasks.ts'
import { brokenPromises } from '../testing/promises.ts'
import { hold } from '../testing/recording-server.ts'
import { never } from '../testing/tool-call.ts'
import { defineTool } from '../tools/define-tool.ts'

const amount = { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] } as const

function payments(more: { readonly needsApproval?: true; readonly effect?: 'read' } = {}) {
  const paid: number[] = []
  const pay = defineTool<{ amount: number }>({
    name: 'pay',
    description: 'Pays.',
    input: amount,
    ...more,
    execute: ({ amount }) => {
      paid.push(amount)
      return `paid ${amount}`
    },
  })
  return { pay, paid }
}

const plugin = (hooks: Hooks, name = 'guard'): Plugin => ({ name, timeoutMs: 100, hooks })
const halves: Hooks['tool:before'] = ({ input }) => (Number(input.amount) > 5 ? { input: { amount: 5 } } : undefined)
const callPay = { calls: [{ name: 'pay', input: { amount: 10 } }] }
const isWaiting = (state: { status: string }): boolean => state.status === 'waiting'

describe('tool:before', () => {
  test('refuses a call: it does not run, and the model is told why', async () => {
    const { pay, paid } = payments()
    const block = plugin({
      'tool:before': ({ toolName, input }) => ({ block: `${toolName} ${input.amount} is too much` }),
    })
    const world = agentWorld([callPay, 'Well.'], { tools: [pay], plugins: [block] })
    const session = await world.session()
    await session.run('Pay').result
    expect(paid).toEqual([])
    expect(results(session.state)).toEqual([
      {
        callId: 'call_1',
        toolName: 'pay',
        outcome: 'denied',
        code: 'tool.denied',
        output: 'Denied, and not run: the plugin "guard" does not allow it: pay 10 is too much',
        metadata: { deniedBy: 'guard' },
        durationMs: 0,
      },
    ])
  })

  test('changes the input it was shown in place: that is a change like any, or none where it is not given', async () => {
    const { pay, paid } = payments()
    const set = (input: object) => Object.assign(input, { amount: 5 })
    const around: Hooks['tool:around'] = ({ input }, execute) => {
      set(input)
      return execute()
    }
    const silent = plugin({ 'tool:before': ({ input }) => void set(input), 'tool:around': around }, 'silent')
    const open = plugin({ 'tool:before': ({ input }) => ({ input: { ...set(input) } }) }, 'open')
    for (const [plugins, ran] of [[[silent], 10] as const, [[silent, open], 5] as const]) {
      const world = agentWorld([callPay, 'Done.'], { tools: [pay], plugins })
      const session = await world.session()
      await session.run('Pay').result
      expect(paid.splice(0)).toEqual([ran])
      expect(reduce(initialState('s'), await storedEvents(world.store))).toEqual(session.state)
      expect(ofType(await storedEvents(world.store), 'tool-input-changed')).toHaveLength(plugins.length - 1)
    }
  })

  test('gives another input: it is checked and judged again, and both are in the log', async () => {
    const { pay, paid } = payments()
    const judged: PermissionCall[] = []
    const permissions: PermissionPolicy = {
      decide: (call) => {
        judged.push(call)
        return { verdict: 'allow', by: 'level', reason: '' }
      },
    }
    const world = agentWorld([callPay, 'Done.'], {
      tools: [pay],
      permissions,
      plugins: [plugin({ 'tool:before': halves })],
    })
    const session = await world.session()
    await session.run('Pay').result
    expect(paid).toEqual([5])
    expect(judged).toMatchObject([{ input: { amount: 5 } }])
    expect(results(session.state)).toMatchObject([{ outcome: 'ok', output: 'paid 5', ranWith: { amount: 5 } }])

    const events = await storedEvents(world.store)
    const order = types(events)
    const at = order.indexOf('tool-input-changed')
    expect(order.slice(at - 2, at + 3)).toEqual(['message', 'usage', 'tool-input-changed', 'tool-start', 'tool-result'])
    expect(ofType(events, 'tool-input-changed')).toMatchObject([
      { callId: 'call_1', toolName: 'pay', input: { amount: 5 }, plugin: 'guard' },
    ])
    const called = session.state.history.flatMap((message) => (message.role === 'assistant' ? message.parts : []))
    expect(called[0]).toMatchObject({ type: 'tool-call', input: { amount: 10 } })
  })

  test('each sees what those before it made of the input', async () => {
    const { pay, paid } = payments()
    const seen: unknown[] = []
    const looks = plugin({ 'tool:before': ({ input }) => void seen.push(input) }, 'looks')
    const adds = plugin({ 'tool:before': ({ input }) => ({ input: { amount: Number(input.amount) + 1 } }) }, 'adds')
    const world = agentWorld([callPay, 'Done.'], {
      tools: [pay],
      plugins: [looks, adds, plugin({ 'tool:before': halves })],
    })
    await (await world.session()).run('Pay').result
    expect(seen).toEqual([{ amount: 10 }])
    expect(paid).toEqual([5])
    expect(
      ofType(await storedEvents(world.store), 'tool-input-changed').map((event) => [event.plugin, event.input]),
    ).toEqual([
      ['adds', { amount: 11 }],
      ['guard', { amount: 5 }],
    ])
  })

  const failures: readonly (readonly [string, NonNullable<Hooks['tool:before']>, string])[] = [
    ['throws', () => Promise.reject(new Error('no luck')), 'no luck'],
    ['is too slow', () => never(), 'it took longer than 100 ms'],
    ['gives an input that does not fit', () => ({ input: { amount: 'all' } }), 'does not fit its schema'],
    ['gives something else', () => ({ blocked: 'yes' }) as never, 'it has to give { block }, { input }, or nothing'],
    ['gives no object', () => 'no' as never, 'no object'],
  ]
  test.each(failures)('one that %s refuses the call, and people are told', async (_what, hook, why) => {
    const { pay, paid } = payments()
    const world = agentWorld([callPay, 'Well.'], { tools: [pay], plugins: [plugin({ 'tool:before': hook })] })
    const session = await world.session()
    const run = session.run('Pay')
    await stateWhere(session, ({ pending }) => Object.keys(pending.calls).length > 0)
    await microtasks()
    world.clock.advance(100)
    expect((await run.result).reason).toBe('stop')
    expect(paid).toEqual([])
    expect(results(session.state)).toMatchObject([{ outcome: 'denied', output: expect.stringContaining(why) }])
    expect(session.state.notices).toMatchObject([
      {
        code: 'hook.failed',
        text: expect.stringContaining(why),
        details: { plugin: 'guard', hook: 'tool:before' },
        runId: run.id,
      },
    ])
  })

  test('a person is asked about the input as it was changed, and exactly that runs, wherever it is answered', async () => {
    const { pay, paid } = payments({ needsApproval: true })
    let calls = 0
    const counts = plugin({ 'tool:before': () => ({ input: { amount: ++calls } }) })
    const world = agentWorld([callPay], { tools: [pay], plugins: [counts] })
    const session = await world.session()
    session.run('Pay')
    const { pending } = await stateWhere(session, isWaiting)
    expect(pending.requests[0]?.tool?.input).toEqual({ amount: 1 })
    const later = agentWorld(['Done.'], {
      store: world.store,
      tools: [pay],
      plugins: [counts],
      ids: (prefix) => `${prefix}_later`,
    })
    const reopened = await later.session()
    await reopened.resolve('req_call_1', 'allow-once')
    const { state } = await stateWhere(reopened, ({ run }) => run === undefined).then((state) => ({ state }))
    expect(paid).toEqual([1])
    expect(calls).toBe(1)
    expect(results(state)).toMatchObject([{ outcome: 'ok', ranWith: { amount: 1 } }])
    const events = await storedEvents(world.store)
    expect(brokenPromises(events)).toEqual([])
    const { live: _live, ...replayed } = reduce(initialState('s'), events)
    expect(state).toMatchObject(replayed)
  })

  test('is asked again about what an approver edited: it may refuse it, and changing it refuses it too', async () => {
    for (const [edited, outcome, amounts] of [
      [4, 'ok', [4]],
      [7, 'denied', []],
      [666, 'denied', []],
    ] as const) {
      const { pay, paid } = payments({ needsApproval: true })
      const guard = plugin({
        'tool:before': (event, ctx) => (event.input.amount === 666 ? { block: 'cursed' } : halves(event, ctx)),
      })
      const world = agentWorld([callPay, 'Done.'], { tools: [pay], plugins: [guard] })
      const session = await world.session()
      const run = session.run('Pay')
      await stateWhere(session, isWaiting)
      await session.resolve('req_call_1', { decision: 'allow-once', editedInput: { amount: edited } })
      await run.result
      expect([edited, results(session.state)[0]?.outcome, paid]).toEqual([edited, outcome, amounts])
    }
  })

  test('holds back a call that only reads and would start while the model talks', async () => {
    const { pay, paid } = payments({ effect: 'read' })
    const world = agentWorld([{ ...callPay, beforeEnd: () => microtasks() }, 'Done.'], {
      tools: [pay],
      plugins: [plugin({ 'tool:before': halves })],
    })
    const session = await world.session()
    await session.run('Pay').result
    expect(paid).toEqual([5])
    expect(results(session.state)).toMatchObject([{ ranWith: { amount: 5 } }])
    const events = await storedEvents(world.store)
    const order = types(events)
    expect(order.indexOf('tool-input-changed')).toBeGreaterThan(order.indexOf('message', order.indexOf('turn-start')))
    expect(brokenPromises(events)).toEqual([])
  })
})

describe('tool:around', () => {
  const store = new AsyncLocalStorage<string>()
  const within = (name: string): Plugin =>
    plugin({ 'tool:around': (_event, execute) => store.run(`${store.getStore() ?? ''}${name}`, execute) }, name)
  const where = (values: (string | undefined)[]) =>
    defineTool({
      name: 'pay',
      description: '',
      input: { type: 'object' },
      async *execute() {
        values.push(store.getStore())
        yield 'working'
        await microtasks()
        values.push(store.getStore())
        return 'done'
      },
    })

  test('what it makes current is so while the tool runs, also after it waited, the first plugin outermost', async () => {
    const values: (string | undefined)[] = []
    const world = agentWorld([callPay, 'Done.'], { tools: [where(values)], plugins: [within('a'), within('b')] })
    const session = await world.session()
    await session.run('Pay').result
    expect(values).toEqual(['ab', 'ab'])
    expect(results(session.state)).toMatchObject([{ outcome: 'ok', output: 'done' }])
  })

  test.each<readonly [string, NonNullable<Hooks['tool:around']>, string]>([
    ['throws at once', () => Promise.reject(new Error('no luck')), 'did not call execute'],
    ['never calls execute', () => never(), 'did not call execute'],
    ['throws afterwards', (_event, execute) => execute().then(() => Promise.reject(new Error('no luck'))), 'no luck'],
  ])('one that %s changes nothing: the tool runs once', async (_what, hook, why) => {
    const { pay, paid } = payments()
    const world = agentWorld([callPay, 'Done.'], { tools: [pay], plugins: [plugin({ 'tool:around': hook })] })
    const session = await world.session()
    await session.run('Pay').result
    expect(paid).toEqual([10])
    expect(results(session.state)).toMatchObject([{ outcome: 'ok' }])
    expect(session.state.notices).toMatchObject([{ code: 'hook.failed', text: expect.stringContaining(why) }])
  })

  test('a tool that fails is no failure of what is around it', async () => {
    const fails = defineTool({
      name: 'pay',
      description: '',
      input: { type: 'object' },
      execute: () => Promise.reject(new Error('no money')),
    })
    const world = agentWorld([callPay, 'Well.'], { tools: [fails], plugins: [within('a')] })
    const session = await world.session()
    await session.run('Pay').result
    expect(results(session.state)).toMatchObject([{ outcome: 'error', output: expect.stringContaining('no money') }])
    expect(session.state.notices).toEqual([])
  })
})

describe('tool:after and transform:tool-output', () => {
  test('the output is stored as plugins want it, with their names, and tool:after sees it stored', async () => {
    const { pay } = payments()
    const after: unknown[] = []
    const world = agentWorld([callPay, 'Done.'], {
      tools: [pay],
      plugins: [
        plugin({ 'transform:tool-output': ({ output }) => ({ output: `${output}!` }) }, 'louder'),
        plugin({ 'transform:tool-output': () => undefined }, 'content'),
        plugin({ 'transform:tool-output': ({ output }) => ({ output: { said: output } }) }, 'wraps'),
        plugin({ 'tool:after': ({ result }, { history }) => void after.push(result.output, history.length) }, 'looks'),
      ],
    })
    const session = await world.session()
    await session.run('Pay').result
    expect(results(session.state)).toMatchObject([
      { output: { said: 'paid 10!' }, metadata: { transformedBy: ['louder', 'wraps'] } },
    ])
    expect(after).toEqual([{ said: 'paid 10!' }, 2])
    const told = JSON.stringify(world.model.requests[1]?.messages)
    expect(told).toContain('paid 10!')
  })

  test('what a plugin makes of it keeps to the limit of its tool, and the whole it was made from is not kept', async () => {
    const long = defineTool({
      name: 'pay',
      description: '',
      input: { type: 'object' },
      maxResultChars: 20,
      execute: () => 'secret '.repeat(10),
    })
    const hides = plugin({ 'transform:tool-output': () => ({ output: 'hidden '.repeat(10) }) })
    const world = agentWorld([callPay, 'Done.'], { tools: [long], plugins: [hides] })
    const session = await world.session()
    await session.run('Pay').result
    const [result] = results(session.state)
    expect(result).toMatchObject({ truncatedTo: 20, output: expect.stringContaining('hidden') })
    expect(result).not.toHaveProperty('full')
  })

  test('ones that fail are told of and skipped', async () => {
    const { pay } = payments()
    const world = agentWorld([callPay, 'Done.'], {
      tools: [pay],
      plugins: [
        plugin({ 'transform:tool-output': () => ({ text: 'wrong' }) as never }, 'a'),
        plugin({ 'tool:after': () => Promise.reject(new Error('no disk')) }, 'b'),
      ],
    })
    const session = await world.session()
    expect((await session.run('Pay').result).reason).toBe('stop')
    expect(results(session.state)).toMatchObject([{ outcome: 'ok', output: 'paid 10' }])
    expect(session.state.notices.map(({ details }) => details)).toEqual([
      { plugin: 'a', hook: 'transform:tool-output' },
      { plugin: 'b', hook: 'tool:after' },
    ])
  })
})

test('a hook of a call that was cut with its reply, and that fails when the run is over, is told to nobody', async () => {
  const { pay } = payments({ effect: 'read' })
  const gate = hold()
  const late = plugin({
    'transform:tool-output': async () => {
      await gate.opened
      throw new Error('too late')
    },
    stop: async () => {
      gate.open()
      await microtasks()
    },
  })
  const world = agentWorld([{ ...callPay, stop: 'content-filter' }], { tools: [pay], plugins: [late] })
  const session = await world.session()
  expect(await session.run('Go').result).toMatchObject({ reason: 'content-filter' })
  await microtasks()
  const events = await storedEvents(world.store)
  expect(brokenPromises(events)).toEqual([])
  expect(ofType(events, 'notice')).toEqual([])
})
