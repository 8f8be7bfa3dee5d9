import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../protocol/json.ts'
import type { Message } from '../../protocol/messages.ts'
import type { ModelRequest } from '../provider.ts'
import { WireHistory } from '../wire-history.ts'
import { wireNames } from '../wire-names.ts'
import type { WireMessage } from './messages.ts'
import { codeExecution, serverTool, webFetch, webSearch } from './provider-tools.ts'
import { type CacheSetting, messagesRequest } from './request.ts'

interface Setup {
  readonly model?: string
  readonly cache?: CacheSetting
  readonly maxOutputTokens?: number
}

async function built(
  over: Partial<ModelRequest>,
  { model = 'claude-opus-5', cache = false, maxOutputTokens }: Setup = {},
) {
  const request: ModelRequest = {
    messages: [user('hi')],
    tools: [],
    settings: {},
    bytes: () => Promise.reject(new Error('there are no bytes')),
    ...over,
  }
  const capabilities = maxOutputTokens === undefined ? {} : { maxOutputTokens }
  const target = { id: 'anthropic', model, api: 'anthropic', capabilities }
  const history = new WireHistory<WireMessage>()
  return messagesRequest(request, { target, names: wireNames(['look.up']), history, cache })
}

async function body(over: Partial<ModelRequest>, setup?: Setup): Promise<JsonObject> {
  return (await built(over, setup)).body
}

function user(text: string): Message {
  return { role: 'user', id: 'u', at: 0, parts: [{ type: 'text', text }] }
}

const lookUp = { type: 'function', name: 'look.up', description: 'Looks up', inputSchema: { type: 'object' } } as const
const wireName = wireNames(['look.up']).toWire('look.up')

test('the least request', async () => {
  expect(await body({})).toEqual({
    model: 'claude-opus-5',
    max_tokens: 32_000,
    stream: true,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
  })
})

test.each([
  ['claude-3-haiku-20240307', {}, undefined, 4096],
  ['claude-3-5-haiku-latest', {}, undefined, 8192],
  ['claude-sonnet-4-20250514', {}, undefined, 32_000],
  ['claude-mythos-preview', {}, undefined, 32_000],
  ['someone-elses-model', {}, undefined, 8192],
  ['claude-opus-5', {}, 64_000, 64_000],
  ['claude-opus-5', { maxOutputTokens: 100 }, 64_000, 100],
])('%s may answer with so many tokens', async (model, settings, maxOutputTokens, expected) => {
  const setup = maxOutputTokens === undefined ? { model } : { model, maxOutputTokens }
  expect((await body({ settings }, setup)).max_tokens).toBe(expected)
})

test('settings go under their names, and extra has the last word', async () => {
  const settings = { temperature: 0.5, stop: ['END', ' '], extra: { top_k: 5, max_tokens: 7 } }
  expect(await body({ settings, instructions: 'Be brief.' })).toMatchObject({
    system: [{ type: 'text', text: 'Be brief.' }],
    temperature: 0.5,
    stop_sequences: ['END'],
    top_k: 5,
    max_tokens: 7,
  })
})

test('what cannot be sent is said', async () => {
  const { body: sent, warnings } = await built({ settings: { seed: 1, temperature: 0, reasoning: 'high' } })
  expect(sent).not.toHaveProperty('temperature')
  expect(warnings.map((warning) => 'code' in warning && warning.code)).toEqual([
    'provider.setting-ignored',
    'provider.setting-ignored',
  ])
})

describe('tools', () => {
  test('of ours, of this API and of no other one', async () => {
    const elsewhere = { type: 'provider', api: 'openai-responses', name: 'web_search', config: {} } as const
    const { tools } = await body({ tools: [lookUp, webSearch({ maxUses: 2 }), elsewhere] })
    expect(tools).toEqual([
      { name: wireName, description: 'Looks up', input_schema: { type: 'object', properties: {} } },
      { type: 'web_search_20250305', name: 'web_search', max_uses: 2 },
    ])
  })

  test.each([
    [webFetch({ allowedDomains: ['a.example'] }), { name: 'web_fetch', allowed_domains: ['a.example'] }],
    [webSearch({ blockedDomains: ['b.example'] }), { name: 'web_search', blocked_domains: ['b.example'] }],
    [codeExecution(), { name: 'code_execution' }],
    [serverTool('of_tomorrow_1', 'of_tomorrow', { a: 1 }), { type: 'of_tomorrow_1', name: 'of_tomorrow', a: 1 }],
  ])('a helper for $name', (tool, config) => {
    expect(tool).toMatchObject({ type: 'provider', api: 'anthropic', config })
  })

  test.each([
    [undefined, { type: 'auto' }],
    ['auto', { type: 'auto' }],
    ['none', { type: 'none' }],
    ['required', { type: 'any' }],
    [{ name: 'look.up' }, { type: 'tool', name: wireName }],
  ] as const)('the choice %j', async (toolChoice, expected) => {
    const choice = toolChoice === undefined ? {} : { toolChoice }
    expect((await body({ tools: [lookUp], ...choice })).tool_choice).toEqual(expected)
  })

  test('that the history calls are declared where no tool is on', async () => {
    const call = { type: 'tool-call', callId: 'c', toolName: 'look.up', input: {}, state: 'done' } as const
    const reply: Message = { role: 'assistant', id: 'a', at: 0, parts: [call] }
    expect(await body({ messages: [user('a'), reply] })).toMatchObject({
      tools: [{ name: wireName, input_schema: { type: 'object' } }],
      tool_choice: { type: 'none' },
    })
  })
})

describe('the cache', () => {
  const messages: Message[] = ['one', 'two', 'three'].flatMap((text) => [
    user(text),
    { role: 'assistant', id: 'a', at: 0, parts: [{ type: 'text', text: 'ok' }] },
  ])
  const conversation = { messages: [...messages, user('four')], instructions: 'Be brief.', tools: [lookUp] }

  test('has its four breakpoints after what stays, none in a reply', async () => {
    const sent = await body(conversation, { cache: '5m' })
    const marked = [...(sent.messages as JsonObject[])].flatMap(({ role, content }) =>
      (content as JsonObject[]).filter((block) => 'cache_control' in block).map(({ text }) => [role, text]),
    )
    expect(marked).toEqual([
      ['user', 'three'],
      ['user', 'four'],
    ])
    expect(sent.system).toMatchObject([{ cache_control: { type: 'ephemeral' } }])
    expect(sent.tools).toMatchObject([{ cache_control: { type: 'ephemeral' } }])
    expect(JSON.stringify(sent).split('cache_control')).toHaveLength(5)
  })

  test('may last an hour, or be off', async () => {
    expect(await body(conversation, { cache: '1h' })).toMatchObject({
      system: [{ cache_control: { type: 'ephemeral', ttl: '1h' } }],
    })
    expect(JSON.stringify(await body(conversation))).not.toContain('cache_control')
  })
})

describe('reasoning', () => {
  const adaptive = { type: 'adaptive', display: 'summarized' }
  test.each([
    ['claude-opus-5', 'high', { thinking: adaptive, output_config: { effort: 'high' } }],
    ['claude-opus-5', 'minimal', { thinking: adaptive, output_config: { effort: 'low' } }],
    ['claude-opus-5', { budgetTokens: 8000 }, { thinking: adaptive, output_config: { effort: 'medium' } }],
    ['claude-opus-5', 'none', { thinking: { type: 'disabled' } }],
    ['claude-fable-5-1', 'none', { output_config: { effort: 'low' } }],
    ['claude-sonnet-4-5', 'medium', { thinking: { type: 'enabled', budget_tokens: 10_240 } }],
    ['claude-sonnet-4-5', { budgetTokens: 10 }, { thinking: { type: 'enabled', budget_tokens: 1024 } }],
    ['claude-sonnet-4-5', { budgetTokens: 99_999 }, { thinking: { type: 'enabled', budget_tokens: 30_976 } }],
    ['claude-sonnet-4-5', 'none', {}],
    ['claude-3-5-haiku-latest', 'high', {}],
  ] as const)('of %s: %j', async (model, reasoning, expected) => {
    const { thinking, output_config } = await body({ settings: { reasoning } }, { model })
    expect({ ...(thinking && { thinking }), ...(output_config && { output_config }) }).toEqual(expected)
  })

  const settings = { reasoning: 'high' } as const
  const budgeted = { model: 'claude-sonnet-4-5' }

  test('with a budget makes way for a forced tool, and for a turn begun without it', async () => {
    expect(await body({ settings, tools: [lookUp], toolChoice: 'required' }, budgeted)).not.toHaveProperty('thinking')
    const call = { type: 'tool-call', callId: 'c', toolName: 'look.up', input: {}, state: 'done' } as const
    const reply: Message = { role: 'assistant', id: 'a', at: 0, parts: [call] }
    expect(await body({ settings, messages: [user('a'), reply] }, budgeted)).not.toHaveProperty('thinking')
    expect(await body({ settings, messages: [user('a'), reply, user('b')] }, budgeted)).not.toHaveProperty('thinking')
  })

  test('makes way for an answer too short to hold it', async () => {
    expect(await body({ settings: { ...settings, maxOutputTokens: 1500 } }, budgeted)).not.toHaveProperty('thinking')
  })
})

describe('a reply by schema', () => {
  const schema = { type: 'object', properties: { n: { type: 'number', minimum: 1 } }, required: ['n'] }

  test('is asked for where the model takes a schema', async () => {
    expect((await body({ output: { name: 'answer', schema } })).output_config).toEqual({
      format: {
        type: 'json_schema',
        schema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'], additionalProperties: false },
      },
    })
  })

  test.each([
    ['an older model', 'claude-sonnet-4-20250514', schema],
    ['a schema with free keys', 'claude-opus-5', { type: 'object', additionalProperties: { type: 'string' } }],
  ])('is told in words to %s', async (_, model, asked) => {
    const sent = await body({ output: { name: 'answer', schema: asked }, instructions: 'Be brief.' }, { model })
    expect(sent).not.toHaveProperty('output_config')
    expect(sent.system).toEqual([
      { type: 'text', text: 'Be brief.' },
      { type: 'text', text: expect.stringContaining('JSON Schema') },
    ])
  })
})
