import { describe, expect, test } from 'vitest'
import type { AssistantMessage, Message, ToolCallPart, ToolResult, UserPart } from '../../protocol/messages.ts'
import type { FunctionTool, ModelRequest } from '../provider.ts'
import { WireHistory } from '../wire-history.ts'
import { wireNames } from '../wire-names.ts'
import { endpointAt, type QuirksOption } from './quirks.ts'
import { chatRequest } from './request.ts'

const target = { id: 'p', model: 'm', api: 'openai-chat', capabilities: {} }
const tool: FunctionTool = {
  type: 'function',
  name: 'a.b',
  description: 'does',
  inputSchema: { type: 'object', properties: {} },
}
const names = wireNames(['a.b'])

async function built(request: Partial<ModelRequest>, quirks: QuirksOption = 'compatible') {
  const bytes = ({ sha256 }: { sha256: string }) => Promise.resolve(new TextEncoder().encode(sha256))
  const whole = { messages: [], tools: [], settings: {}, bytes, ...request }
  const context = { target, names, quirks: await endpointAt('http://x', quirks).quirks(), history: new WireHistory() }
  const { body, warnings } = await chatRequest(whole, context)
  return { body: JSON.parse(JSON.stringify(body)) as Record<string, unknown>, warnings }
}
const bodyOf = async (request: Partial<ModelRequest>, quirks?: QuirksOption) => (await built(request, quirks)).body
const messagesOf = async (messages: readonly Message[], quirks?: QuirksOption) =>
  (await bodyOf({ messages }, quirks)).messages as object[]

const user = (...parts: UserPart[]): Message => ({ role: 'user', id: 'u', at: 0, parts })
const say = (text: string): UserPart => ({ type: 'text', text })
const assistant = (parts: AssistantMessage['parts'], over: Partial<AssistantMessage> = {}): AssistantMessage => ({
  role: 'assistant',
  id: 'a',
  at: 0,
  model: { provider: 'p', model: 'm', api: 'openai-chat' },
  parts,
  ...over,
})
const result = (output: ToolResult['output'], over: Partial<ToolResult> = {}): ToolResult => ({
  callId: 'k',
  toolName: 'a.b',
  outcome: 'ok',
  output,
  durationMs: 1,
  ...over,
})
const call = (callId: string, over: Partial<ToolCallPart> = {}): ToolCallPart => ({
  type: 'tool-call',
  callId,
  toolName: 'a.b',
  input: {},
  state: 'done',
  ...over,
})

describe('fields', () => {
  test('a plain request says only what is needed', async () => {
    expect(await bodyOf({ messages: [user(say('hi'))], instructions: 'be brief' })).toEqual({
      model: 'm',
      stream: true,
      stream_options: { include_usage: true },
      messages: [
        { role: 'system', content: 'be brief' },
        { role: 'user', content: 'hi' },
      ],
    })
  })

  test.each<[string, QuirksOption, Partial<ModelRequest>, object]>([
    ['max tokens', 'compatible', { settings: { maxOutputTokens: 50 } }, { max_tokens: 50 }],
    ['max tokens of OpenAI', 'openai', { settings: { maxOutputTokens: 50 } }, { max_completion_tokens: 50 }],
    [
      'developer role',
      { systemRole: 'developer' },
      { instructions: 'x' },
      { messages: [{ role: 'developer', content: 'x' }] },
    ],
    ['seed', 'compatible', { settings: { seed: 0 } }, { seed: 0 }],
    ['seed of Mistral', 'mistral', { settings: { seed: 0 } }, { random_seed: 0 }],
    [
      'temperature and stop',
      'compatible',
      { settings: { temperature: 0, stop: ['x'] } },
      { temperature: 0, stop: ['x'] },
    ],
    ['effort', 'compatible', { settings: { reasoning: 'low' } }, { reasoning_effort: 'low' }],
    [
      'effort of a budget',
      'compatible',
      { settings: { reasoning: { budgetTokens: 9000 } } },
      { reasoning_effort: 'medium' },
    ],
    [
      'effort at OpenRouter',
      'openrouter',
      { settings: { reasoning: { budgetTokens: 9 } } },
      { reasoning: { max_tokens: 9 } },
    ],
    [
      'thinking of Qwen',
      'alibaba',
      { settings: { reasoning: { budgetTokens: 9 } } },
      { enable_thinking: true, thinking_budget: 9 },
    ],
    ['no thinking at DeepSeek', 'deepseek', { settings: { reasoning: 'none' } }, { thinking: { type: 'disabled' } }],
    ['cache key', 'openai', { cacheKey: 's' }, { prompt_cache_key: 's' }],
    [
      'extra fields last',
      'compatible',
      { settings: { seed: 1, extra: { seed: 2, store: false } } },
      { seed: 2, store: false },
    ],
    [
      'choice',
      'compatible',
      { tools: [tool], toolChoice: { name: 'a.b' } },
      { tool_choice: { type: 'function', function: { name: names.toWire('a.b') } } },
    ],
    [
      'output',
      'compatible',
      { output: { name: 'my out', schema: {} } },
      {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'my_out', schema: { type: 'object', properties: {} } },
        },
      },
    ],
  ])('%s', async (_, quirks, request, expected) => expect(await bodyOf(request, quirks)).toMatchObject(expected))

  test.each<[QuirksOption, readonly string[]]>([
    [
      'compatible',
      ['max_completion_tokens', 'prompt_cache_key', 'store', 'strict', 'tools', 'tool_choice', 'parallel_tool_calls'],
    ],
    ['mistral', ['stream_options', 'seed', 'reasoning_effort']],
    ['openai', ['max_tokens', 'tools', 'tool_choice', 'parallel_tool_calls']],
  ])('%s is not sent what it does not take', async (quirks, absent) => {
    const settings = { maxOutputTokens: 5, seed: 1, reasoning: 'low' } as const
    const body = await bodyOf({ settings, cacheKey: 's', toolChoice: 'auto' }, quirks)
    for (const field of absent) expect(body).not.toHaveProperty(field)
  })

  test('what cannot be said is a warning', async () => {
    const provider = { type: 'provider', api: 'anthropic', name: 'search', config: {} } as const
    const { body, warnings } = await built({ settings: { reasoning: 'low' }, tools: [provider] }, 'mistral')
    expect(warnings.map(({ code }) => code)).toEqual(['provider.tool-omitted', 'provider.setting-ignored'])
    expect(body).not.toHaveProperty('tools')
  })

  test('tools go out under their wire names, without strict', async () => {
    expect((await bodyOf({ tools: [tool] })).tools).toEqual([
      {
        type: 'function',
        function: { name: names.toWire('a.b'), description: 'does', parameters: { type: 'object', properties: {} } },
      },
    ])
  })
})

describe('a reply by schema', () => {
  const schema = { type: 'object', properties: { n: {} }, required: ['n'], additionalProperties: false }

  test('is held to it where the schema allows it', async () => {
    expect((await bodyOf({ output: { schema } })).response_format).toEqual({
      type: 'json_schema',
      json_schema: { name: 'output', schema, strict: true },
    })
    const open = { ...schema, additionalProperties: true }
    expect((await bodyOf({ output: { schema: open } })).response_format).toEqual({
      type: 'json_schema',
      json_schema: { name: 'output', schema: open },
    })
  })

  test.each<[QuirksOption, object | undefined]>([
    ['deepseek', { type: 'json_object' }],
    [{ output: 'none' }, undefined],
  ])('is told in words to %j', async (quirks, format) => {
    const body = await bodyOf({ output: { schema }, instructions: 'Be brief.' }, quirks)
    expect(body.response_format).toEqual(format)
    expect(body.messages).toEqual([{ role: 'system', content: expect.stringMatching(/^Be brief\.\n\n.*JSON Schema/) }])
    expect(JSON.stringify(body.messages)).toContain(JSON.stringify(JSON.stringify(schema)).slice(1, -1))
  })
})

describe('history', () => {
  test('calls are answered right behind their message, by legal names and ids', async () => {
    const messages = [
      user(say('hi')),
      assistant([
        say('Let me see.') as AssistantMessage['parts'][number],
        call('c1', { providerCallId: 'k1', input: { x: 1 }, result: result({ y: 2 }) }),
        call('c2', { providerCallId: 'k1' }),
      ]),
    ]
    const name = names.toWire('a.b')
    expect(await messagesOf(messages)).toEqual([
      { role: 'user', content: 'hi' },
      {
        role: 'assistant',
        content: 'Let me see.',
        tool_calls: [
          { id: 'k1', type: 'function', function: { name, arguments: '{"x":1}' } },
          { id: 'c2', type: 'function', function: { name, arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'k1', content: '{"y":2}' },
      { role: 'tool', tool_call_id: 'c2', content: expect.stringContaining('outcome of this call is unknown') },
    ])
  })

  test('Mistral gets ids of nine characters, the same for call and result', async () => {
    const [asked, answered] = (await messagesOf([assistant([call('call_1', { result: result('x') })])], 'mistral')) as [
      { tool_calls: { id: string }[] },
      { tool_call_id: string },
    ]
    expect(asked.tool_calls[0]?.id).toMatch(/^[a-zA-Z0-9]{9}$/)
    expect(answered.tool_call_id).toBe(asked.tool_calls[0]?.id)
  })

  test.each<[string, readonly Message[]]>([
    ['no parts', [assistant([])]],
    ['white space', [assistant([{ type: 'text', text: ' \n' }])]],
    ['only thoughts', [assistant([{ type: 'reasoning', text: 'hm' }])]],
    ['a blank input', [user(say(' '))]],
    ['a note for people', [{ role: 'note', id: 'n', at: 0, kind: 'system', text: 'x', toModel: false }]],
    ["a provider's own call", [assistant([call('c', { executed: 'provider' })])]],
    ['a call that was never named', [assistant([call('c', { toolName: '' })], { partial: true })]],
  ])('%s is not sent', async (_, messages) => expect(await messagesOf(messages)).toEqual([]))

  test('a call without text has no content, and an empty output is said', async () => {
    expect(
      await messagesOf([assistant([{ type: 'text', text: '' }, call('c', { result: result('') })])]),
    ).toMatchObject([
      { role: 'assistant', content: null },
      { role: 'tool', content: '(no output)' },
    ])
  })

  test('input that was no JSON goes back as an empty object', async () => {
    const [first] = await messagesOf([
      assistant([{ type: 'tool-call', callId: 'c', toolName: 'a.b', inputText: '{"q', state: 'done' }]),
    ])
    expect(first).toMatchObject({ tool_calls: [{ function: { arguments: '{}' } }] })
  })

  test('images of results follow behind all results, labelled', async () => {
    const image = (sha256: string) => ({ mediaType: 'image/png', blob: { sha256, size: 1 } })
    const messages = await messagesOf([
      assistant([
        call('c1', { result: result('one', { images: [image('A')] }) }),
        call('c2', { result: result('', { images: [image('B')] }) }),
      ]),
    ])
    expect(messages.map((message) => (message as { role: string }).role)).toEqual(['assistant', 'tool', 'tool', 'user'])
    expect(messages[1]).toMatchObject({ content: expect.stringMatching(/^one\n.*image follows/) })
    expect(messages[3]).toEqual({
      role: 'user',
      content: [
        { type: 'text', text: expect.stringContaining('a.b') },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,QQ==' } },
        { type: 'text', text: expect.stringContaining('a.b') },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,Qg==' } },
      ],
    })
  })

  test.each<[string, UserPart, unknown]>([
    [
      'an image',
      { type: 'image', mediaType: 'image/png', blob: { sha256: 'A', size: 1 } },
      [{ type: 'image_url', image_url: { url: 'data:image/png;base64,QQ==' } }],
    ],
    [
      'an image elsewhere',
      { type: 'image', mediaType: 'image/png', url: 'https://x/y.png' },
      [{ type: 'image_url', image_url: { url: 'https://x/y.png' } }],
    ],
    [
      'an omitted image',
      { type: 'image', mediaType: 'image/png', url: 'https://x', omitted: 'too large' },
      '[image: image/png, omitted: too large]',
    ],
    [
      'a document',
      { type: 'file', mediaType: 'application/pdf', name: 'a.pdf', blob: { sha256: 'A', size: 1 } },
      [{ type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,QQ==' } }],
    ],
    [
      'a file with text',
      { type: 'file', mediaType: 'text/csv', name: 'a.csv', text: '1,2', blob: { sha256: 'A', size: 1 } },
      '[file: a.csv]\n1,2',
    ],
    [
      'a file nobody can read',
      { type: 'file', mediaType: 'x/y', name: 'a.bin', blob: { sha256: 'A', size: 1 } },
      '[file: a.bin]',
    ],
    ['two texts', { type: 'session', sessionId: 's', text: 'before' }, '[session: s]\nbefore'],
  ])('%s', async (_, part, content) => expect(await messagesOf([user(part)])).toEqual([{ role: 'user', content }]))
})

describe('opaque reasoning', () => {
  const thought = { type: 'reasoning', text: 'because X' } as const
  const details = [{ type: 'reasoning.encrypted', data: 'ENC', id: 'rd', index: 0 }]
  const signed = call('c', { providerState: { extra_content: { google: { thought_signature: 'TS' } } } })
  const turn = (over: Partial<AssistantMessage> = {}) =>
    assistant([thought, signed, call('d')], { providerState: { reasoning_details: details }, ...over })
  const sent = async (message: AssistantMessage, quirks: QuirksOption) => (await messagesOf([message], quirks))[0]

  test('goes back in the field the endpoint wants', async () => {
    expect(await sent(turn(), 'deepseek')).toMatchObject({ reasoning_content: 'because X' })
    expect(await sent(turn(), 'openrouter')).toMatchObject({ reasoning_details: details })
    expect(await sent(turn(), 'openrouter')).not.toHaveProperty('reasoning_content')
    const plain = await sent(turn(), 'compatible')
    for (const field of ['reasoning_content', 'reasoning_details', 'reasoning']) expect(plain).not.toHaveProperty(field)
  })

  test('of a call goes back with that call alone', async () => {
    const { tool_calls: calls } = (await sent(turn(), 'gemini')) as { tool_calls: object[] }
    expect(calls[0]).toHaveProperty('extra_content.google.thought_signature', 'TS')
    expect(calls[1]).not.toHaveProperty('extra_content')
  })

  test.each<[string, Partial<AssistantMessage>]>([
    ['another model', { model: { provider: 'p', model: 'other', api: 'openai-chat' } }],
    ['another provider', { model: { provider: 'q', model: 'm', api: 'openai-chat' } }],
    ['another API', { model: { provider: 'p', model: 'm', api: 'anthropic' } }],
    ['a reply that was cut', { partial: true }],
  ])('of %s stays here', async (_, over) => {
    for (const quirks of ['deepseek', 'openrouter', 'gemini'] as const) {
      expect(JSON.stringify(await sent(turn(over), quirks))).not.toMatch(/because X|ENC|TS/)
    }
  })
})
