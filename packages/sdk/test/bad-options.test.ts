import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type AgentOptions, createAgent, defineTool, type Tool } from '../src/index.ts'
import { agentWorld, storedEvents, type WorldOptions } from '../src/testing/agent-world.ts'
import { scriptedModel } from '../src/testing/index.ts'
import { expectNothingOpen, expectUsable, refuseUnhandledRejections } from './fixtures/bad-input.ts'

refuseUnhandledRejections()

const MB = 1024 * 1024
const input = { type: 'object' }

function thrownBy(action: () => unknown): unknown {
  try {
    action()
  } catch (thrown) {
    return thrown
  }
  return undefined
}

function tool(name: string, schema: object = input): Tool {
  return defineTool({ name, description: 'Test', input: schema as Parameters<typeof defineTool>[0]['input'] })
}

describe('options that cannot work are refused at once, by name', () => {
  const create = (options: object) => () =>
    createAgent({ model: scriptedModel([]), ...options } as unknown as AgentOptions)

  test.each<[name: string, action: () => unknown, code: string, says: RegExp]>([
    ['nothing at all', () => createAgent(undefined as never), 'config.invalid', /needs a model/],
    ['no model', () => createAgent({} as never), 'config.invalid', /model: openai\(/],
    ['the name of a model', () => createAgent({ model: 'gpt-5.2' } as never), 'config.invalid', /model: openai\(/],
    ['maxTurns: 0', create({ maxTurns: 0 }), 'config.invalid', /^maxTurns .*above 0/],
    ['maxTurns: -1', create({ maxTurns: -1 }), 'config.invalid', /^maxTurns /],
    ['maxTurns: 1.5', create({ maxTurns: 1.5 }), 'config.invalid', /^maxTurns /],
    ['maxTurns: NaN', create({ maxTurns: Number.NaN }), 'config.invalid', /^maxTurns /],
    ['connectMs: NaN', create({ timeouts: { connectMs: Number.NaN } }), 'config.invalid', /^timeouts\.connectMs /],
    ['idleMs: -1', create({ timeouts: { idleMs: -1 } }), 'config.invalid', /^timeouts\.idleMs /],
    ['attemptMs: ∞', create({ timeouts: { attemptMs: Infinity } }), 'config.invalid', /^timeouts\.attemptMs /],
    ['retries: -1', create({ retries: { max: -1 } }), 'config.invalid', /^retries\.max /],
    ['retries: NaN', create({ retries: { max: Number.NaN } }), 'config.invalid', /^retries\.max /],
    ['baseMs: NaN', create({ retries: { baseMs: Number.NaN } }), 'config.invalid', /^retries\.baseMs /],
    ['instructions: 42', create({ instructions: 42 }), 'config.invalid', /^instructions /],
    ['context: a value', create({ context: {} }), 'config.invalid', /^context has to be a function/],
    ['store: a path', create({ store: 'agent.db' }), 'config.invalid', /^store .*memoryStore\(\)/],
    ['onInterrupted: "retry"', create({ onInterrupted: 'retry' }), 'config.invalid', /^onInterrupted .*"resume"/],
    ['tools: an object', create({ tools: {} }), 'config.invalid', /^tools .*defineTool/],
    ['a tool that was not defined', create({ tools: [{ name: 'x' }] }), 'config.invalid', /^tools .*defineTool/],
    ['no tool', create({ tools: [undefined] }), 'config.invalid', /^tools /],
    ['two tools of a name', create({ tools: [tool('x'), tool('x')] }), 'tool.duplicate-name', /"x"\. Rename/],
    ['a tool without a name', () => tool(''), 'tool.invalid-name', /must not be empty/],
    ['a tool with a line break in its name', () => tool('a\nb'), 'tool.invalid-name', /control characters/],
    ['a tool whose name is a page long', () => tool('x'.repeat(2_000)), 'tool.invalid-name', /256/],
    [
      'a schema that is none',
      () => tool('x', { type: 'objekt' }),
      'tool.invalid-schema',
      /"x".*root has to be an object/,
    ],
    ['a schema whose root is a text', () => tool('x', { type: 'string' }), 'tool.invalid-schema', /"x".*object/],
  ])('%s', (_name, action, code, says) => {
    const thrown = thrownBy(action)
    expect(thrown).toMatchObject({ code, retryable: false })
    expect((thrown as Error).message).toMatch(says)
    expect((thrown as Error).message.length).toBeLessThan(3_000)
  })
})

test.each([
  ['z.date()', z.object({ when: z.date() }), /"x".*when.*z\.iso\.datetime/],
  ['z.bigint()', z.object({ deep: z.object({ n: z.bigint() }) }), /"x".*deep\.n/],
  ['a map', z.object({ map: z.map(z.string(), z.string()) }), /"x".*map/],
])(
  'a schema that no model can be told, %s, is found by the first run, which asks no model',
  async (_name, schema, says) => {
    const { agent, model, session, store } = agentWorld([], { tools: [tool('x', schema)] })
    const opened = await session()
    const result = await opened.run('Hello').result
    expect(result).toMatchObject({ reason: 'error', recorded: true, error: { code: 'tool.invalid-schema' } })
    expect(result.error?.message).toMatch(says)
    expect(model.requests).toEqual([])
    expectNothingOpen(await storedEvents(store), opened.state)
    await agent.close()
  },
)

test('a schema that transforms is told to the model as what it takes in', async () => {
  const schema = z.object({ n: z.string().transform(Number) })
  const { model, session } = agentWorld(['Fine.'], { tools: [tool('x', schema)] })
  expect(await (await session()).run('Hello').result).toMatchObject({ reason: 'stop' })
  expect(model.requests[0]?.tools[0]).toMatchObject({ inputSchema: { properties: { n: { type: 'string' } } } })
})

describe('functions of the app that fail end the run with its record, and the next one works', () => {
  let fails = true
  const failing = (good: unknown, thrown: unknown) => () => {
    if (fails) throw thrown
    return good
  }

  test.each<[string, WorldOptions, RegExp]>([
    ['context throws', { context: failing(1, new Error('no database')) }, /context or instructions.*no database/],
    ['context throws nothing', { context: failing(1, undefined) }, /context or instructions.*undefined/],
    ['context rejects', { context: async () => failing(1, new Error('no user'))() }, /no user/],
    ['instructions throw', { instructions: failing('', new Error('no prompt')) as () => string }, /no prompt/],
    ['instructions give no text', { instructions: (() => (fails ? 42 : '')) as never }, /instructions.*text/],
  ])('%s', async (_name, options, says) => {
    fails = true
    const { agent, session, store } = agentWorld(['Fine.'], options)
    const opened = await session()
    const result = await opened.run('Hello').result
    expect(result).toMatchObject({ reason: 'error', recorded: true, error: { code: 'config.invalid' } })
    expect(result.error?.message).toMatch(says)
    expectNothingOpen(await storedEvents(store), opened.state)
    fails = false
    await expectUsable(opened)
    await agent.close()
  })
})

describe('session ids', () => {
  test.each<[string, string, RegExp]>([
    ['empty', '', /must not be empty/],
    ['of 10 MB', 'x'.repeat(10 * MB), /10485760 characters/],
    ['with a line break', 'a\nb', /control characters/],
    ['with U+0000', 'a\u0000', /control characters/],
    ['with half a surrogate pair', 'a\ud83d', /surrogate/],
    ['of another type', 7 as unknown as string, /must be a string/],
  ])('%s', async (_name, id, says) => {
    const { agent, model, session } = agentWorld(['Fine.'])
    const refused = agent.session(id)
    await expect(refused).rejects.toMatchObject({ code: 'session.invalid-id', message: expect.stringMatching(says) })
    await expect(refused).rejects.toMatchObject({ message: expect.stringMatching(/^.{1,200}$/) })
    expect((await agent.sessions()).items).toEqual([])
    await expectUsable(await session('a good one'))
    expect(model.requests.length).toBe(1)
    await agent.close()
  })
})

describe('an input', () => {
  const attachment = { type: 'file' as const, mediaType: 'text/plain' }

  test.each<[name: string, input: unknown, code: string, says: RegExp]>([
    ['that is empty', '', 'input.empty', /text or an attachment/],
    ['of blanks', ' \n\t', 'input.empty', /text or an attachment/],
    ['without parts', [], 'input.empty', /text or an attachment/],
    ['that is none', undefined, 'input.empty', /text or an attachment/],
    ['with a part that is none', [null], 'input.invalid', /list of text, image/],
    ['with a part of an unknown kind', [{ type: 'video' }], 'input.invalid', /list of text, image/],
    ['with bytes that are none', [{ ...attachment, bytes: 'aGk=' }], 'input.invalid', /Uint8Array/],
    ['of 100 MB', 'x'.repeat(100 * MB), 'input.too-large', /104857600 bytes.*8388608.*Attach it as a file/],
    ['just over the limit in bytes', '√'.repeat(3 * MB), 'input.too-large', /9437184 bytes/],
    [
      'with an attachment over 100 MB',
      [{ ...attachment, bytes: new Uint8Array(100 * MB + 1) }],
      'input.too-large',
      /104857601 bytes; the limit is 104857600/,
    ],
  ])('%s', async (_name, given, code, says) => {
    const { agent, model, session, store } = agentWorld(['Fine.'])
    const opened = await session()
    const run = opened.run(given as string)
    const result = await run.result
    expect(result).toMatchObject({ reason: 'error', recorded: false, error: { code, retryable: false } })
    expect(result.error?.message).toMatch(says)
    await expect(run.text()).rejects.toMatchObject({ code })
    await expect(opened.send(given as string)).rejects.toMatchObject({ code })
    expect((await storedEvents(store)).map(({ type }) => type)).toEqual(['session-created'])
    await expectUsable(opened)
    expect(model.requests.length).toBe(1)
    await agent.close()
  })

  test('with U+0000 and half a surrogate pair is kept without them', async () => {
    const { session } = agentWorld(['Fine.'])
    const opened = await session()
    await opened.run('a\u0000b\ud83d').result
    expect(opened.state.history[0]).toMatchObject({ parts: [{ type: 'text', text: 'a\uFFFDb\uFFFD' }] })
  })

  test.each<[object, RegExp]>([
    [{ metadata: 'nightly' }, /^metadata has to be an object/],
    [{ metadata: ['nightly'] }, /^metadata /],
    [{ settings: 'cold' }, /^settings has to be an object/],
    [{ settings: null }, /^settings /],
    [{ settings: { temprature: 0 } }, /no "temprature", only temperature, .*settings\.extra/],
    [{ settings: { temperature: '0' } }, /^settings\.temperature has to be a number/],
    [{ settings: { maxOutputTokens: 0.5 } }, /^settings\.maxOutputTokens /],
    [{ settings: { reasoning: 'deep' } }, /^settings\.reasoning .* high, or \{ budgetTokens \}/],
    [{ settings: { reasoning: { budgetTokens: -1 } } }, /^settings\.reasoning /],
    [{ settings: { stop: 'END' } }, /^settings\.stop has to be a list of texts/],
    [{ settings: { seed: Number.NaN } }, /^settings\.seed /],
    [{ settings: { extra: 1 } }, /^settings\.extra has to be an object/],
    [{ limits: { per: 'run', tokens: 9 } }, /^limits has to be a list of budgets/],
    [{ limits: [null] }, /^A budget is per one of call, run, /],
    [{ limits: [{ per: 'run' }] }, /^A budget needs a limit/],
    [{ limits: [{ per: 'run', tokens: -1 }] }, /^A budget has `tokens` of 0 or more/],
    [{ limits: [{ per: 'run', cost: { amount: 1, currency: 'usd' } }] }, /^A budget has a currency/],
  ])('with the options %j, which it names', async (options, problem) => {
    const { session, model } = agentWorld(['Fine.'])
    const opened = await session()
    const { error, recorded } = await opened.run('Hello', options).result
    expect({ code: error?.code, recorded, asked: model.requests.length }).toEqual({
      code: 'config.invalid',
      recorded: false,
      asked: 0,
    })
    expect(error?.message).toMatch(problem)
    await expectUsable(opened)
  })

  test('with a number of turns that no run can have', async () => {
    const { session } = agentWorld(['Fine.'])
    const opened = await session()
    for (const maxTurns of [0, -1, Number.NaN]) {
      const { error, recorded } = await opened.run('Hello', { maxTurns }).result
      expect([error?.code, recorded]).toEqual(['config.invalid', false])
      expect((await opened.continue({ maxTurns }).result).error?.code).toBe('config.invalid')
    }
    await expectUsable(opened)
  })
})
