import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import type { HookEvent } from '../plugins/hook-events.ts'
import type { HookName, Hooks, Plugin } from '../plugins/plugin.ts'
import { reduce } from '../protocol/reduce.ts'
import { initialState } from '../protocol/state.ts'
import { agentWorld, ofType, results, stateWhere, storedEvents, types } from '../testing/agent-world.ts'
import { microtasks } from '../testing/microtasks.ts'
import { brokenPromises } from '../testing/promises.ts'
import { never, tool } from '../testing/tool-call.ts'

const plugin = (hooks: Hooks, name = 'guard'): Plugin => ({ name, timeoutMs: 0, hooks })
const callProbe = { calls: [{ name: 'probe' }] }
const probe = tool(() => 'ok')

/** A plugin that writes down what it is told. */
function listener(name: string, ...names: Exclude<HookName, 'tool:around'>[]) {
  const heard: HookEvent[] = []
  const hooks = Object.fromEntries(names.map((hook) => [hook, (event: HookEvent) => void heard.push(event)]))
  return { heard, plugin: plugin(hooks as Hooks, name) }
}

describe('session:start and session:end', () => {
  test('come once each for a session here, new or resumed, and again for a plugin that comes later', async () => {
    const first = listener('first', 'session:start', 'session:end')
    const world = agentWorld(['One.', 'Two.', 'Three.'], { plugins: [first.plugin] })
    const session = await world.session()
    await session.run('Go', { by: 'ann' }).result
    await session.run('Go').result
    const second = listener('second', 'session:start', 'session:end')
    world.agent.use(second.plugin)
    await session.run('Go').result
    expect(first.heard).toEqual([
      { hook: 'session:start', sessionId: 's', runId: 'run_in_1', by: 'ann', turn: 0, reason: 'new' },
    ])
    expect(second.heard).toMatchObject([{ hook: 'session:start', reason: 'resumed' }])
    await world.agent.close()
    expect(first.heard.slice(1)).toEqual([{ hook: 'session:end', sessionId: 's', reason: 'closed' }])
    expect(second.heard.slice(1)).toEqual([{ hook: 'session:end', sessionId: 's', reason: 'closed' }])
  })

  test('the end comes when the session is deleted or the plugin removed, and not a second time', async () => {
    const { heard, plugin: listens } = listener('l', 'session:end')
    const world = agentWorld(['One.', 'Two.'])
    const remove = world.agent.use(listens)
    await (await world.session('a')).run('Go').result
    await (await world.session('b')).run('Go').result
    await world.agent.delete('a')
    expect(heard).toMatchObject([{ sessionId: 'a', reason: 'deleted' }])
    await remove()
    expect(heard.slice(1)).toMatchObject([{ sessionId: 'b', reason: 'removed' }])
    await world.agent.close()
    expect(heard).toHaveLength(2)
  })

  test('the end comes when nobody holds the session any more', async () => {
    setFlagsFromString('--expose-gc')
    const collectGarbage = runInNewContext('gc') as () => void
    const { heard, plugin: listens } = listener('l', 'session:end')
    const world = agentWorld(['One.'], { plugins: [listens] })
    await (async () => (await world.session()).run('Go').result)()
    while (heard.length === 0) {
      collectGarbage()
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(heard[0]).toMatchObject({ hook: 'session:end', sessionId: 's', reason: 'forgotten' })
  })

  test('a note is said to the model, and stays in the history', async () => {
    const world = agentWorld(['One.', 'Two.'], {
      plugins: [plugin({ 'session:start': () => ({ note: 'It is Monday.' }) })],
    })
    const session = await world.session()
    await session.run('Go').result
    await session.run('Go').result
    expect(world.model.requests.map(({ messages }) => messages.map(({ role }) => role))).toEqual([
      ['user', 'note'],
      ['user', 'note', 'assistant', 'user'],
    ])
  })

  test('one that fails at the end is told to the logger', async () => {
    const logged: string[] = []
    const world = agentWorld(['One.'], {
      logger: { log: (level, message) => void logged.push(`${level}: ${message}`) },
      plugins: [plugin({ 'session:end': () => Promise.reject(new Error('no disk')) })],
    })
    await (await world.session()).run('Go').result
    await world.agent.close()
    expect(logged).toEqual(['warn: The hook session:end of the plugin "guard" failed: no disk'])
  })
})

describe('turn:before, turn:after and stop', () => {
  test('come for each turn and each run, when what they speak of is in the log', async () => {
    const { heard, plugin: listens } = listener('l', 'turn:before', 'turn:after', 'stop')
    const world = agentWorld([callProbe, 'Done.'], { tools: [probe], plugins: [listens] })
    const session = await world.session()
    const { usage } = await session.run('Go').result
    await session.run('Go').result
    await microtasks()
    expect(heard).toMatchObject([
      { hook: 'turn:before', turn: 1 },
      { hook: 'turn:after', turn: 1, message: { parts: [{ type: 'tool-call', result: { output: 'ok' } }] } },
      { hook: 'turn:before', turn: 2 },
      { hook: 'turn:after', turn: 2, message: { parts: [{ text: 'Done.' }] } },
      { hook: 'stop', runId: 'run_in_1', reason: 'stop', usage: usage?.run },
      { hook: 'turn:before', turn: 1, runId: 'run_in_2' },
      { hook: 'stop', runId: 'run_in_2', reason: 'error', error: { code: 'testing.unexpected-call' } },
    ])
  })

  test('a note before a turn is read with that turn', async () => {
    const world = agentWorld([callProbe, 'Done.'], {
      tools: [probe],
      plugins: [plugin({ 'turn:before': ({ turn }) => (turn === 2 ? { note: 'Hurry.' } : undefined) })],
    })
    await (await world.session()).run('Go').result
    expect(world.model.requests.map(({ messages }) => messages.at(-1))).toMatchObject([
      { role: 'user' },
      { role: 'note', text: 'Hurry.', toModel: true },
    ])
  })

  test('a hook sees what the one before it said', async () => {
    const seen: unknown[] = []
    const world = agentWorld(['Done.'], {
      plugins: [
        plugin({ 'turn:before': () => ({ note: 'Hurry.' }) }, 'says'),
        plugin({ 'turn:before': (_event, { history }) => void seen.push(history.at(-1)) }, 'sees'),
      ],
    })
    await (await world.session()).run('Go').result
    expect(seen).toMatchObject([{ role: 'note', text: 'Hurry.' }])
  })

  test('a turn that a person held up is over when its calls have their results', async () => {
    const { heard, plugin: listens } = listener('l', 'turn:after', 'tool:after')
    const world = agentWorld([callProbe, 'Done.'], {
      tools: [tool(() => 'ok', { needsApproval: true })],
      plugins: [listens],
    })
    const session = await world.session()
    const run = session.run('Go')
    await stateWhere(session, ({ status }) => status === 'waiting')
    await microtasks()
    expect(heard).toEqual([])
    await session.resolve('req_call_1', 'allow-once')
    await run.result
    expect(heard.map(({ hook }) => hook)).toEqual(['tool:after', 'turn:after', 'turn:after'])
  })

  test('a run that follows from the queue does not wait for the end of the one before to be told', async () => {
    const world = agentWorld([{ text: 'One.', beforeEnd: () => microtasks() }, 'Two.'], {
      plugins: [plugin({ stop: () => never() })],
    })
    const session = await world.session()
    const run = session.run('Go')
    const { runId = '' } = await session.send('And then', { mode: 'queue' })
    await run.result
    expect(await session.follow(runId).text()).toBe('Two.')
  })

  test('the failure of a hook is told once a run', async () => {
    const world = agentWorld([callProbe, callProbe, 'Done.', 'Again.'], {
      tools: [probe],
      plugins: [plugin({ 'turn:before': () => Promise.reject(new Error('no')) })],
    })
    const session = await world.session()
    await session.run('Go').result
    expect(session.state.notices).toHaveLength(1)
    await session.run('Go').result
    expect(session.state.notices).toHaveLength(2)
  })
})

describe('verify:stop', () => {
  test('sends the model back with a message, until it is content', async () => {
    const heard: unknown[] = []
    const world = agentWorld(['One.', 'Two.'], {
      plugins: [
        plugin({
          'verify:stop': ({ text, sentBack }) => {
            heard.push([text, sentBack])
            return text === 'Two.' ? undefined : { sendBack: 'The tests fail.' }
          },
        }),
      ],
    })
    const session = await world.session()
    expect(await session.run('Go').result).toMatchObject({ reason: 'stop', text: 'Two.' })
    expect(heard).toEqual([
      ['One.', 0],
      ['Two.', 1],
    ])
    expect(world.model.requests[1]?.messages.at(-1)).toMatchObject({ role: 'note', text: 'The tests fail.' })
    expect(session.state.notices).toMatchObject([{ code: 'stop.sent-back', details: { plugin: 'guard' } }])
  })

  test('three times at most, for all plugins together: then the run ends and says that somebody is not content', async () => {
    const refuses = plugin({ 'verify:stop': () => ({ sendBack: 'No.' }) })
    const world = agentWorld(['1', '2', '3', '4'], { plugins: [refuses, { ...refuses, name: 'other' }] })
    const session = await world.session()
    expect(await session.run('Go').result).toMatchObject({ reason: 'stop', text: '4' })
    const codes = session.state.notices.map(({ code }) => code)
    expect(codes).toEqual(['stop.sent-back', 'stop.sent-back', 'stop.sent-back', 'stop.unverified'])
    world.model.assertDone()
  })

  test('with no turns left the run ends with max-turns', async () => {
    const refuses = plugin({ 'verify:stop': () => ({ sendBack: 'No.' }) })
    const world = agentWorld(['1'], { maxTurns: 1, plugins: [refuses] })
    expect(await (await world.session()).run('Go').result).toMatchObject({ reason: 'max-turns' })
  })

  test('one that fails or is too slow lets the run end', async () => {
    for (const hook of [() => Promise.reject(new Error('no')), () => never(), () => ({ sendback: 'typo' }) as never]) {
      const world = agentWorld(['Done.'], { plugins: [{ name: 'p', timeoutMs: 50, hooks: { 'verify:stop': hook } }] })
      const session = await world.session()
      const run = session.run('Go')
      await stateWhere(session, ({ history }) => history.length > 1)
      await microtasks()
      world.clock.advance(50)
      expect((await run.result).reason).toBe('stop')
      expect(session.state.notices).toMatchObject([{ code: 'hook.failed' }])
    }
  })
})

const BEFORE_THE_END: readonly Exclude<HookName, 'session:end' | 'stop' | 'tool:around'>[] = [
  'session:start',
  'turn:before',
  'transform:response',
  'tool:before',
  'transform:tool-output',
  'tool:after',
  'turn:after',
  'verify:stop',
]

test.each(BEFORE_THE_END)('an abort does not wait for %s', async (name) => {
  let call = (_signal: AbortSignal): void => {}
  const called = new Promise<AbortSignal>((resolve) => (call = resolve))
  const hangs = (_event: unknown, { signal }: { signal: AbortSignal }) => {
    call(signal)
    return never()
  }
  const world = agentWorld([{ text: 'Well.', ...callProbe }, 'Done.'], {
    tools: [probe],
    plugins: [plugin({ [name]: hangs })],
  })
  const session = await world.session()
  const run = session.run('Go')
  const signal = await called
  await session.abort()
  expect((await run.result).reason).toBe('aborted')
  expect(signal.aborted).toBe(true)
  const events = await storedEvents(world.store)
  expect(brokenPromises(events)).toEqual([])
  expect(types(events).filter((type) => type === 'tool-start').length).toBeLessThanOrEqual(1)
})

test('with every hook at work the state is what the log says', async () => {
  const everything: Plugin = {
    name: 'everything',
    tools: [tool((input) => input)],
    instructions: 'Be kind.',
    hooks: {
      'session:start': () => ({ note: 'start' }),
      'turn:before': ({ turn }) => ({ note: `turn ${turn}` }),
      'tool:before': () => ({ input: { safe: true } }),
      'tool:around': (_event, execute) => execute(),
      'tool:after': () => Promise.reject(new Error('no')),
      'turn:after': () => {},
      stop: () => {},
      'verify:stop': ({ sentBack }) => (sentBack === 0 ? { sendBack: 'Again.' } : undefined),
      'transform:user-input': ({ text }) => ({ text: `${text}!` }),
      'transform:response': ({ text }) => ({ text: text.toUpperCase() }),
      'transform:tool-output': () => ({ output: 'hidden' }),
    },
  }
  const world = agentWorld([{ text: 'Let me see.', ...callProbe }, 'Done.', 'Really.'], { plugins: [everything] })
  const session = await world.session()
  expect(await session.run('Go').result).toMatchObject({ reason: 'stop', text: 'REALLY.' })
  const events = await storedEvents(world.store)
  expect(brokenPromises(events)).toEqual([])
  const { live: _live, ...replayed } = reduce(initialState('s'), events)
  expect(session.state).toMatchObject(replayed)
  expect(results(session.state)).toMatchObject([{ output: 'hidden', ranWith: { safe: true } }])
  expect(ofType(events, 'input')).toMatchObject([{ parts: [{ text: 'Go!' }] }])
})
