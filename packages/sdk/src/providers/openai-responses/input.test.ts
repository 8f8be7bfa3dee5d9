import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../protocol/json.ts'
import type { AssistantMessage, AssistantPart, Message, ToolCallPart, UserPart } from '../../protocol/messages.ts'
import type { ModelRequest } from '../provider.ts'
import { WireHistory } from '../wire-history.ts'
import { wireNames } from '../wire-names.ts'
import { inputItems } from './input.ts'
import type { PartState } from './state.ts'

const MODEL = { provider: 'openai', model: 'gpt-5.2', api: 'openai-responses' }
const OTHER = { ...MODEL, model: 'gpt-5.1' }
const BLOB = { sha256: 'a', size: 1 }

function user(...parts: UserPart[]): Message {
  return { role: 'user', id: 'u', at: 0, parts }
}

function assistant(parts: AssistantPart[], over: Partial<AssistantMessage> = {}): Message {
  return { role: 'assistant', id: 'a', at: 0, model: MODEL, parts, ...over }
}

const result = { callId: 'c', toolName: 'read', outcome: 'ok', output: 'ok', durationMs: 1 } as const

function call(id: string, over: Partial<ToolCallPart> = {}): ToolCallPart {
  return { type: 'tool-call', callId: id, toolName: 'read', input: {}, state: 'done', result, ...over }
}

function withState<P extends object>(part: P, providerState: PartState): P {
  return { ...part, providerState }
}

function items(...messages: Message[]): Promise<JsonObject[]> {
  const request: ModelRequest = {
    messages,
    tools: [],
    settings: {},
    bytes: ({ sha256 }) => Promise.resolve(new TextEncoder().encode(sha256)),
  }
  const target = { ...MODEL, id: MODEL.provider, capabilities: {} }
  return inputItems(request, { target, names: wireNames(['read']), history: new WireHistory() })
}

const sealed = (id: string) => ({ type: 'reasoning', id, summary: [], encrypted_content: `sealed ${id}` })
const thought = (id: string): AssistantPart => withState({ type: 'reasoning', text: '' }, { item: sealed(id) })
const said = (text: string, state: PartState = {}): AssistantPart => withState({ type: 'text' as const, text }, state)
const written = (text: string) => ({ type: 'output_text', text, annotations: [] })
const asked = (call_id: string, id?: string) => ({
  type: 'function_call',
  call_id,
  name: 'read',
  arguments: '{}',
  ...(id && { id }),
})
const told = (call_id: string, output: unknown = 'ok') => ({ type: 'function_call_output', call_id, output })

describe('a sealed thought', () => {
  const turn = [thought('rs_1'), withState(call('c1'), { id: 'fc_1' }), call('c2')]

  test('stands directly before what it led to', async () => {
    expect(await items(assistant(turn))).toEqual([
      sealed('rs_1'),
      asked('c1', 'fc_1'),
      asked('c2'),
      told('c1'),
      told('c2'),
    ])
  })

  test.each([
    ['that nothing follows', [thought('rs_2')], {}],
    ['whose follower cannot be sent', [thought('rs_2'), call('c1', { executed: 'provider' })], {}],
    ['of a partial reply', [thought('rs_2')], { partial: true as const }],
  ])('%s is left out', async (_, parts, over) => {
    expect(await items(assistant(parts, over))).toEqual([])
  })

  test.each([
    ['another model', { model: OTHER }],
    ['another host', { model: { ...MODEL, provider: 'api.x.ai' } }],
    ['another API', { model: { ...MODEL, api: 'anthropic' } }],
    ['an abort', { partial: true as const }],
  ])('of %s is left out, and so are ids', async (_, over) => {
    const parts = [...turn, said('Done.', { id: 'msg_1', phase: 'final_answer' })]
    const sent = await items(assistant(parts, over))
    expect(sent.map(({ type, id, phase }) => [type, id, phase])).toEqual([
      ['function_call', undefined, undefined],
      ['function_call', undefined, undefined],
      ['message', undefined, undefined],
      ['function_call_output', undefined, undefined],
      ['function_call_output', undefined, undefined],
    ])
  })

  test('is the same after it was stored as JSON', async () => {
    const stored = JSON.parse(JSON.stringify(assistant(turn))) as Message
    expect(await items(stored)).toEqual(await items(assistant(turn)))
  })
})

describe('a reply', () => {
  test('keeps the id and phase of its message, whose texts stay together', async () => {
    const state = { id: 'msg_1', phase: 'commentary' }
    expect(
      await items(assistant([said('One. ', state), said('Two.', state), said('Three.', { id: 'msg_2' })])),
    ).toEqual([
      {
        type: 'message',
        role: 'assistant',
        content: [written('One. '), written('Two.')],
        id: 'msg_1',
        status: 'completed',
        phase: 'commentary',
      },
      { type: 'message', role: 'assistant', content: [written('Three.')], id: 'msg_2', status: 'completed' },
    ])
  })

  test('of nothing but blanks is not sent', async () => {
    expect(await items(assistant([said(' \n'), { type: 'reasoning', text: 'hm' }]), assistant([]))).toEqual([])
  })
})

describe('calls', () => {
  test('get distinct legal ids, the same as their answers, and no overlong item ids', async () => {
    const long = 'call_AbC+/=|fc_'.padEnd(400, '9')
    const calls = [1, 2].map((n) => withState(call(`c${n}`, { providerCallId: `${long}${n}` }), { id: `fc_${long}` }))
    const sent = await items(assistant(calls))
    const ids = sent.map(({ call_id }) => String(call_id))
    expect(new Set(ids).size).toBe(2)
    expect(ids.slice(0, 2)).toEqual(ids.slice(2))
    for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    expect(sent.every((item) => !('id' in item))).toBe(true)
  })

  test('always have the text of an object for arguments', async () => {
    const { input: _, ...broken } = call('c1', { inputText: '{"a":' })
    expect((await items(assistant([broken])))[0]).toMatchObject({ arguments: '{}' })
    expect((await items(assistant([call('c1', { input: { a: 1 } })])))[0]).toMatchObject({ arguments: '{"a":1}' })
  })

  test('that were never answered say so', async () => {
    const { result: _, ...open } = call('c1')
    expect((await items(assistant([open])))[1]?.output).toContain('unknown')
  })

  test('bring their images in their output, never as text', async () => {
    const images = [{ mediaType: 'image/png', blob: BLOB }]
    const sent = await items(assistant([call('c1', { result: { ...result, images } })]))
    expect(sent[1]).toEqual(
      told('c1', [
        { type: 'input_text', text: 'ok' },
        { type: 'input_image', image_url: 'data:image/png;base64,YQ==', detail: 'auto' },
      ]),
    )
  })

  test('that the provider ran go back as they came, pictures with their bytes', async () => {
    const ran = (item: JsonObject) => withState(call('c1', { executed: 'provider' }), { item })
    const search = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search' } }
    const drawn = { type: 'image_generation_call', id: 'ig_1', status: 'completed' }
    const picture: AssistantPart = { type: 'file', mediaType: 'image/png', blob: BLOB }
    const sent = await items(assistant([thought('rs_1'), ran(search), ran(drawn), picture]))
    expect(sent).toEqual([sealed('rs_1'), search, { ...drawn, result: 'YQ==' }])
  })
})

const note = { role: 'note', id: 'n', at: 0, kind: 'background' } as const
test('notes for the model are user texts', async () => {
  const sent = await items({ ...note, text: 'done', toModel: true }, { ...note, text: 'aside', toModel: false })
  expect(sent).toEqual([{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'done' }] }])
})

const text = (value: string) => ({ type: 'input_text', text: value })
test.each([
  ['text', { type: 'text', text: 'hi' }, text('hi')],
  [
    'an image',
    { type: 'image', mediaType: 'image/png', blob: BLOB },
    { type: 'input_image', image_url: 'data:image/png;base64,YQ==', detail: 'auto' },
  ],
  [
    'an image elsewhere',
    { type: 'image', mediaType: 'image/png', url: 'https://a.example/i' },
    { type: 'input_image', image_url: 'https://a.example/i', detail: 'auto' },
  ],
  [
    'a PDF',
    { type: 'file', mediaType: 'application/pdf', blob: BLOB, name: 'a.pdf' },
    { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,YQ==' },
  ],
  [
    'a PDF elsewhere',
    { type: 'file', mediaType: 'application/pdf', url: 'https://a.example/p' },
    { type: 'input_file', file_url: 'https://a.example/p' },
  ],
  ['a text file', { type: 'file', mediaType: 'text/csv', blob: BLOB, name: 'a.csv' }, text('[file: a.csv]\na')],
  ['anything else', { type: 'file', mediaType: 'application/zip', blob: BLOB, name: 'a.zip' }, text('[file: a.zip]')],
] as const)('a user says %s', async (_, part, content) => {
  expect(await items(user(part, { type: 'text', text: ' ' }))).toEqual([
    { type: 'message', role: 'user', content: [content] },
  ])
})
