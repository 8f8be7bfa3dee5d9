import { describe, expect, test } from 'vitest'
import type { AssistantMessage, AssistantPart, Message, ToolCallPart, UserPart } from '../../protocol/messages.ts'
import type { ModelRequest } from '../provider.ts'
import { WireHistory } from '../wire-history.ts'
import { wireNames } from '../wire-names.ts'
import { type WireMessage, wireMessages } from './messages.ts'
import type { PartState } from './state.ts'

const SELF = { id: 'anthropic', model: 'claude-opus-5', api: 'anthropic', capabilities: {} }
const MODEL = { provider: 'anthropic', model: 'claude-opus-5', api: 'anthropic' }
const PNG = { sha256: 'a', size: 3 }

function user(...parts: (string | UserPart)[]): Message {
  const texts = parts.map((part): UserPart => (typeof part === 'string' ? { type: 'text', text: part } : part))
  return { role: 'user', id: 'u', at: 0, parts: texts }
}

function assistant(parts: AssistantPart[], over: Partial<AssistantMessage> = {}): Message {
  return { role: 'assistant', id: 'a', at: 0, model: MODEL, parts, ...over }
}

function call(id: string, over: Partial<ToolCallPart> = {}): ToolCallPart {
  const result = { callId: id, toolName: 'read', outcome: 'ok', output: 'ok', durationMs: 1 } as const
  return { type: 'tool-call', callId: id, toolName: 'read', input: {}, state: 'done', result, ...over }
}

function withState<P extends object>(part: P, providerState: PartState): P {
  return { ...part, providerState }
}

function wire(messages: readonly Message[]): Promise<WireMessage[]> {
  const request: ModelRequest = {
    messages,
    tools: [],
    settings: {},
    bytes: ({ sha256 }) => Promise.resolve(new TextEncoder().encode(sha256)),
  }
  return wireMessages(request, { target: SELF, names: wireNames(['read']), history: new WireHistory() })
}

const text = (value: string) => ({ type: 'text', text: value })

describe('thinking', () => {
  const turn: AssistantPart[] = [
    withState({ type: 'reasoning', text: '  step one \n' }, { signature: 'S1' }),
    withState({ type: 'reasoning', text: '' }, { redacted: 'RED' }),
    withState({ type: 'reasoning', text: '' }, { signature: 'S2' }),
    { type: 'text', text: 'Reading.' },
    call('t1', { input: { p: 1 } }),
  ]
  const blocks = [
    { type: 'thinking', thinking: '  step one \n', signature: 'S1' },
    { type: 'redacted_thinking', data: 'RED' },
    { type: 'thinking', thinking: '', signature: 'S2' },
    text('Reading.'),
    { type: 'tool_use', id: 't1', name: 'read', input: { p: 1 } },
  ]

  test('goes back to the byte, also when it was stored as JSON in between', async () => {
    const history = [user('go'), assistant(turn)]
    expect((await wire(history))[1]?.content).toEqual(blocks)
    expect((await wire(JSON.parse(JSON.stringify(history)) as Message[]))[1]?.content).toEqual(blocks)
  })

  test.each([
    ['another model', { model: { ...MODEL, model: 'claude-haiku-5' } }],
    ['another API', { model: { ...MODEL, api: 'openai-chat' } }],
    ['a partial message', { partial: true as const }],
    ['an import', { model: undefined }],
  ])('of %s is left out', async (_, over) => {
    const [, reply] = await wire([user('go'), assistant(turn, over as Partial<AssistantMessage>)])
    expect(reply?.content).toEqual(blocks.slice(3))
  })

  test('without a signature is left out, and a reply of nothing else with it', async () => {
    const cut = assistant([{ type: 'reasoning', text: 'hm' }], { partial: true })
    expect(await wire([user('a'), cut, user('go on')])).toEqual([{ role: 'user', content: [text('a'), text('go on')] }])
  })
})

describe('what is blank', () => {
  test('is not sent, and the roles still take turns', async () => {
    const history = [
      user('hi'),
      assistant([
        { type: 'text', text: '' },
        call('t1', { result: { ...(call('t1').result as object), output: '' } as never }),
      ]),
      assistant([{ type: 'text', text: ' \n' }]),
      user('next'),
      assistant([]),
      user('again', '  '),
      assistant([{ type: 'reasoning', text: 'only thoughts' }]),
      user('third'),
    ]
    expect(await wire(history)).toEqual([
      { role: 'user', content: [text('hi')] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'read', input: {} }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't1', content: [text('(no output)')] },
          text('next'),
          text('again'),
          text('third'),
        ],
      },
    ])
  })

  test('does not end a reply that the model is to go on with', async () => {
    const [, last] = await wire([user('hi'), assistant([{ type: 'text', text: 'Once upon \n' }])])
    expect(last?.content).toEqual([text('Once upon')])
  })
})

describe('calls', () => {
  test('get distinct legal ids, the same as their results', async () => {
    const long = 'call_AbC+/=|fc_'.padEnd(400, '9')
    const calls = [call('c1', { providerCallId: `${long}1` }), call('c2', { providerCallId: `${long}2` })]
    const [, reply, results] = await wire([user('a'), assistant(calls)])
    const ids = reply?.content.map(({ id }) => String(id)) ?? []
    expect(new Set(ids).size).toBe(2)
    for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    expect(results?.content.map(({ tool_use_id }) => tool_use_id)).toEqual(ids)
  })

  test('that were never answered, or failed, say so', async () => {
    const unanswered = call('c1')
    const { result: _, ...open } = unanswered
    const failed = call('c2', {
      result: { ...(unanswered.result as object), outcome: 'denied', output: 'no' } as never,
    })
    const [, , results] = await wire([user('a'), assistant([open, failed])])
    expect(results?.content).toMatchObject([
      { is_error: true, content: [{ text: expect.stringContaining('unknown') }] },
      { is_error: true, content: [text('no')] },
    ])
  })

  test('always have an object for input', async () => {
    const { input: _, ...broken } = call('c1', { inputText: '{"a":' })
    const [, reply] = await wire([user('a'), assistant([broken])])
    expect(reply?.content).toMatchObject([{ input: {} }])
  })

  test('whose name never came are left out', async () => {
    expect(await wire([user('a'), assistant([call('c1', { toolName: '' })])])).toHaveLength(1)
  })

  test('bring their images inside their result', async () => {
    const images = [{ mediaType: 'image/png', blob: PNG }]
    const result = { ...(call('s1').result as object), images } as never
    const silent = { ...(call('s2').result as object), output: '', images } as never
    const [, , results] = await wire([
      user('look'),
      assistant([call('s1', { result }), call('s2', { result: silent })]),
    ])
    const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'YQ==' } }
    expect(results?.content.map(({ content }) => content)).toEqual([[text('ok'), picture], [picture]])
  })
})

describe("a provider's own call", () => {
  const use = { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'x' } }
  const result = { type: 'web_search_tool_result', tool_use_id: 'srv_1', content: [{ encrypted_content: 'ENC' }] }
  const search = (state: PartState) =>
    withState(call('c1', { toolName: 'web_search', executed: 'provider', providerCallId: 'srv_1' }), state)
  const searching: AssistantPart[] = [{ type: 'text', text: 'Searching. ' }, search({ use })]

  test('that is still at work ends the request, unchanged', async () => {
    expect(await wire([user('q'), assistant(searching)])).toEqual([
      { role: 'user', content: [text('q')] },
      { role: 'assistant', content: [text('Searching. '), use] },
    ])
  })

  test('stands beside the result that came in the next reply', async () => {
    const found = assistant([search({ result, after: 1 }), { type: 'text', text: 'Found it.' }])
    expect((await wire([user('q'), assistant(searching), found, user('thanks')]))[1]?.content).toEqual([
      text('Searching. '),
      use,
      result,
      text('Found it.'),
    ])
  })

  test('is left out where its result never came, or where another model ran it', async () => {
    const foreign = assistant([search({ use, result, after: 1 })], { model: { ...MODEL, model: 'other' } })
    expect(await wire([user('q'), assistant([search({ use })]), user('and?'), foreign, user('so?')])).toEqual([
      { role: 'user', content: [text('q'), text('and?'), text('so?')] },
    ])
  })

  test('may wait while calls of ours are answered', async () => {
    const both = assistant([search({ use }), call('t1')])
    expect((await wire([user('q'), both]))[1]?.content.map(({ type }) => type)).toEqual(['server_tool_use', 'tool_use'])
  })
})

test('citations go back with their text', async () => {
  const citations = [{ type: 'web_search_result_location', encrypted_index: 'I' }]
  const cited = withState({ type: 'text' as const, text: 'So it is.' }, { citations })
  expect((await wire([user('q'), assistant([cited]), user('more')]))[1]?.content).toEqual([
    { type: 'text', text: 'So it is.', citations },
  ])
})

test('a history that begins with a reply begins with a user message all the same', async () => {
  const [first] = await wire([assistant([{ type: 'text', text: 'Hello' }]), user('hi')])
  expect(first?.role).toBe('user')
})

test('notes for the model are user texts', async () => {
  const note = { role: 'note', id: 'n', at: 0, kind: 'background' } as const
  const notes: Message[] = [
    { ...note, text: 'done', toModel: true },
    { ...note, text: 'aside', toModel: false },
  ]
  expect(await wire(notes)).toEqual([{ role: 'user', content: [text('done')] }])
})

test.each([
  [
    'an image',
    { type: 'image', mediaType: 'image/png', blob: PNG },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'YQ==' } },
  ],
  [
    'an image elsewhere',
    { type: 'image', mediaType: 'image/*', url: 'https://a.example/i' },
    { type: 'image', source: { type: 'url', url: 'https://a.example/i' } },
  ],
  [
    'a PDF',
    { type: 'file', mediaType: 'application/pdf', blob: PNG, name: 'a.pdf' },
    { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'YQ==' }, title: 'a.pdf' },
  ],
  [
    'a text file',
    { type: 'file', mediaType: 'text/csv', blob: PNG, name: 'a.csv' },
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'a' }, title: 'a.csv' },
  ],
  ['anything else', { type: 'file', mediaType: 'application/zip', blob: PNG, name: 'a.zip' }, text('[file: a.zip]')],
  [
    'an image the API does not read',
    { type: 'image', mediaType: 'image/bmp', blob: PNG, name: 'a.bmp' },
    text('[image: a.bmp]'),
  ],
] as const)('%s', async (_, part, block) => {
  expect((await wire([user(part)]))[0]?.content).toEqual([block])
})
