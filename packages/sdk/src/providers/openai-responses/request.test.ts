import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../protocol/json.ts'
import type { ModelCapabilities, ModelRequest } from '../provider.ts'
import { WireHistory } from '../wire-history.ts'
import { wireNames } from '../wire-names.ts'
import { codeInterpreter, fileSearch, imageGeneration, mcp, providerTool, webSearch } from './provider-tools.ts'
import { responsesRequest } from './request.ts'

interface Setup {
  readonly model?: string
  readonly capabilities?: ModelCapabilities
}

async function body(
  over: Partial<ModelRequest>,
  { model = 'gpt-5.2', capabilities = {} }: Setup = {},
): Promise<JsonObject> {
  const request: ModelRequest = {
    messages: [{ role: 'user', id: 'u', at: 0, parts: [{ type: 'text', text: 'hi' }] }],
    tools: [],
    settings: {},
    bytes: () => Promise.reject(new Error('there are no bytes')),
    ...over,
  }
  const target = { id: 'openai', model, api: 'openai-responses', capabilities }
  const context = { target, names: wireNames(['look.up']), history: new WireHistory() }
  return (await responsesRequest(request, context)).body
}

const lookUp = { type: 'function', name: 'look.up', description: 'Looks up', inputSchema: { type: 'object' } } as const
const wireName = wireNames(['look.up']).toWire('look.up')

test('the least request keeps nothing at the provider', async () => {
  expect(await body({})).toEqual({
    model: 'gpt-5.2',
    stream: true,
    store: false,
    include: ['reasoning.encrypted_content'],
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }],
  })
})

test.each([
  ['gpt-4o', {}, false],
  ['gpt-4.1-mini', {}, false],
  ['gpt-5.2-chat-latest', {}, false],
  ['gpt-4-of-ours', { reasoning: true }, true],
  ['o3', {}, true],
  ['grok-4', {}, true],
  ['grok-4', { reasoning: false }, false],
])('%s %j is asked for sealed thoughts: %s', async (model, capabilities, expected) => {
  expect('include' in (await body({}, { model, capabilities }))).toBe(expected)
})

test('settings go under their names, and extra has the last word', async () => {
  const settings = { temperature: 0.5, maxOutputTokens: 9, extra: { store: true, top_p: 1 } }
  expect(await body({ settings, instructions: 'Be brief.', cacheKey: 's'.repeat(80) })).toMatchObject({
    instructions: 'Be brief.',
    temperature: 0.5,
    max_output_tokens: 9,
    prompt_cache_key: 's'.repeat(64),
    store: true,
    top_p: 1,
  })
  expect(await body({ instructions: ' ' })).not.toHaveProperty('instructions')
})

test.each([
  ['none', { effort: 'none' }],
  ['minimal', { effort: 'minimal', summary: 'auto' }],
  ['high', { effort: 'high', summary: 'auto' }],
  [{ budgetTokens: 1000 }, { effort: 'low', summary: 'auto' }],
  [{ budgetTokens: 8000 }, { effort: 'medium', summary: 'auto' }],
  [{ budgetTokens: 50_000 }, { effort: 'high', summary: 'auto' }],
] as const)('reasoning %j', async (reasoning, expected) => {
  expect((await body({ settings: { reasoning } })).reasoning).toEqual(expected)
})

describe('tools', () => {
  test('of ours, of this API and of no other one', async () => {
    const elsewhere = { type: 'provider', api: 'anthropic', name: 'web_search', config: {} } as const
    const parameters = { type: 'object', properties: {} }
    expect((await body({ tools: [lookUp, webSearch(), elsewhere] })).tools).toEqual([
      { type: 'function', name: wireName, description: 'Looks up', parameters, strict: false },
      { type: 'web_search' },
    ])
  })

  test.each([
    [webSearch({ allowedDomains: ['a.example'] }), { filters: { allowed_domains: ['a.example'] } }],
    [fileSearch({ vectorStoreIds: ['vs'] }), { type: 'file_search', vector_store_ids: ['vs'] }],
    [codeInterpreter(), { container: { type: 'auto' } }],
    [imageGeneration(), { type: 'image_generation' }],
    [mcp({ label: 'dice', url: 'https://a.example' }), { server_label: 'dice', require_approval: 'never' }],
    [providerTool('x_search', { a: 1 }), { type: 'x_search', a: 1 }],
  ])('a helper for $name', (tool, config) => {
    expect(tool).toMatchObject({ type: 'provider', api: 'openai-responses', config })
  })

  test.each([
    ['auto', 'auto'],
    ['none', 'none'],
    ['required', 'required'],
    [{ name: 'look.up' }, { type: 'function', name: wireName }],
  ] as const)('the choice %j', async (toolChoice, expected) => {
    expect((await body({ tools: [lookUp], toolChoice })).tool_choice).toEqual(expected)
  })
})

describe('a reply by schema', () => {
  const n = { type: 'number' }
  const closed = { type: 'object', properties: { n }, required: ['n'], additionalProperties: false }
  const nested = (inner: JsonObject) => ({ ...closed, properties: { n: inner } })

  test.each([
    ['closed, with all required', closed, true],
    ['open', { ...closed, additionalProperties: true }, false],
    ['with an optional property', { ...closed, required: [] }, false],
    ['closed at every depth', nested({ type: 'array', items: { anyOf: [n, closed] } }), true],
    ['open further down', nested({ type: 'array', items: { type: 'object', properties: {} } }), false],
    ['with a construct the API refuses', nested({ allOf: [n] }), false],
    ['open among its definitions', { ...closed, $defs: { A: { type: 'object', properties: {} } } }, false],
  ])('%s', async (_, schema, strict) => {
    const { text } = await body({ output: { name: 'the answer', schema } })
    expect(text).toMatchObject({ format: { type: 'json_schema', name: 'the_answer', strict } })
  })
})
