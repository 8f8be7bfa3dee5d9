import { describe, expect, test } from 'vitest'
import type { AssistantMessage, AssistantPart, Message, ToolCallPart } from '../../protocol/messages.ts'
import { wireNames } from '../wire-names.ts'
import type { PromptMessage } from './call-options.ts'
import { DIALECTS } from './dialect.ts'
import { promptOf } from './prompt.ts'
import type { Beside } from './state.ts'

const target = { id: 'acme.chat', model: 'm', api: 'ai-sdk', capabilities: {} }
const model = { provider: 'acme.chat', model: 'm', api: 'ai-sdk' }
const picture = Uint8Array.from([1, 2])
const blob = { sha256: 'p', size: 2 }
const metadata = { acme: { signature: 'S' } }

function user(text = 'go'): Message {
  return { role: 'user', id: 'u', at: 0, parts: [{ type: 'text', text }] }
}

function reply(parts: readonly AssistantPart[], over: Partial<AssistantMessage> = {}): AssistantMessage {
  return { role: 'assistant', id: 'a', at: 0, model, parts, ...over }
}

function searched(providerCallId: string, over: Partial<ToolCallPart> = {}): ToolCallPart {
  const call = { type: 'tool-call', callId: 'c', toolName: 'search', executed: 'provider', state: 'done' } as const
  return { ...call, input: {}, output: [1], providerCallId, ...over }
}

function beside(...entries: Beside[]): Partial<AssistantMessage> {
  return { providerState: { beside: entries as never } }
}

async function prompt(
  messages: readonly Message[],
  over: { readonly version?: 'v2' | 'v3' | 'v4'; readonly id?: string } = {},
) {
  const request = { messages, tools: [], settings: {}, bytes: async () => picture }
  const at = { ...target, id: over.id ?? target.id }
  const warn = () => {}
  const context = { target: at, names: wireNames([]), dialect: DIALECTS[over.version ?? 'v3'], urls: {}, warn }
  return promptOf(request, { ...context, media: 'all', bytes: request.bytes })
}

/** The replies of a prompt, as the types of what they hold. */
function replies(turns: readonly PromptMessage[]): unknown {
  return turns.flatMap(({ role, content }) => (role === 'assistant' ? [content.map(({ type }) => type)] : []))
}

describe('thoughts', () => {
  const thought = { type: 'reasoning', text: 'hm', providerState: { metadata } } as const
  const answer = { type: 'text', text: 'Hi' } as const
  test.each([
    ['go back to their model', [thought, answer], {}, [['reasoning', 'text']]],
    ['go to no other', [thought, answer], { model: { ...model, model: 'n' } }, [['text']]],
    ['of a cut reply are left out', [thought, answer], { partial: true as const }, [['text']]],
    ['at the end led to nothing', [answer, thought], {}, [['text']]],
    ['alone are no reply', [thought], {}, []],
    ['without words and without state say nothing', [{ type: 'reasoning', text: '' }, answer] as const, {}, [['text']]],
  ])('%s', async (_, parts, over, expected) => {
    expect(replies(await prompt([user(), reply(parts, over)]))).toEqual(expected)
  })

  test('carry what they came with', async () => {
    const [, message] = await prompt([user(), reply([thought, answer])])
    expect(message?.content[0]).toEqual({ type: 'reasoning', text: 'hm', providerOptions: metadata })
  })
})

describe('what the provider ran', () => {
  const result = (part: number, after: number): Beside => ({ type: 'result', part, after })

  test('goes back with its result, where that came', async () => {
    const parts = [searched('p1'), { type: 'text', text: 'so' } as const, searched('p2')]
    const state = beside(result(0, 2), { type: 'result', part: 2, after: 3, isError: true, metadata })
    const [, message] = await prompt([user(), reply(parts, state), user()])
    expect(message?.content).toEqual([
      { type: 'tool-call', toolCallId: 'p1', toolName: 'search', input: {}, providerExecuted: true },
      { type: 'text', text: 'so' },
      { type: 'tool-result', toolCallId: 'p1', toolName: 'search', output: { type: 'json', value: [1] } },
      { type: 'tool-call', toolCallId: 'p2', toolName: 'search', input: {}, providerExecuted: true },
      {
        type: 'tool-result',
        toolCallId: 'p2',
        toolName: 'search',
        output: { type: 'error-json', value: [1] },
        providerOptions: metadata,
      },
    ])
  })

  test('without a result only goes back in the last reply, which may go on', async () => {
    const paused = reply([searched('p1')])
    expect(replies(await prompt([user(), paused]))).toEqual([['tool-call']])
    expect(replies(await prompt([user(), paused, user()]))).toEqual([])
  })

  test('and answered in a later reply is called in the earlier one', async () => {
    const shown = searched('p1', { providerState: { shown: true } })
    const turns = [user(), reply([searched('p1')]), reply([shown], beside(result(0, 1)))]
    expect(replies(await prompt(turns))).toEqual([['tool-call'], ['tool-result']])
    expect(replies(await prompt([user(), ...turns.slice(2)]))).toEqual([])
  })
})

test('files of a reply go back at their place, with what they came with', async () => {
  const parts = [
    { type: 'text', text: 'Here.' },
    { type: 'file', mediaType: 'image/png', blob },
  ] as const
  const state = beside({ type: 'file', file: 0, after: 0, metadata }, { type: 'custom', kind: 'acme.note', after: 1 })
  const [, message] = await prompt([user(), reply(parts, state)], { version: 'v4' })
  expect(message?.content).toEqual([
    { type: 'file', mediaType: 'image/png', data: { type: 'data', data: picture }, providerOptions: metadata },
    { type: 'text', text: 'Here.' },
    { type: 'custom', kind: 'acme.note' },
  ])
})

test.each([
  ['v2', picture],
  ['v3', picture],
  ['v4', { type: 'data', data: picture }],
] as const)('bytes as version %s takes them', async (version, data) => {
  const parts = [{ type: 'image', mediaType: 'image/png', blob, name: 'a.png' }] as const
  const [message] = await prompt([{ role: 'user', id: 'u', at: 0, parts }], { version })
  expect(message?.content).toEqual([{ type: 'file', mediaType: 'image/png', data, filename: 'a.png' }])
})

test('a text file is told as text', async () => {
  const parts = [{ type: 'file', mediaType: 'text/csv', name: 'a.csv', blob }] as const
  const [message] = await prompt([{ role: 'user', id: 'u', at: 0, parts }])
  expect(message?.content).toEqual([{ type: 'text', text: '[file: a.csv]\n\u0001\u0002' }])
})

describe('the answer to a call', () => {
  const call = (over: Partial<ToolCallPart>): Message =>
    reply([{ type: 'tool-call', callId: 'c1', toolName: 'a.b', input: {}, state: 'ready', ...over }])
  const result = (outcome: 'ok' | 'denied', output: string | { n: number }) => ({
    result: { callId: 'c1', toolName: 'a.b', outcome, output, durationMs: 1 },
  })
  test.each([
    ['ok', result('ok', 'fine'), { type: 'text', value: 'fine' }],
    ['ok, as JSON', result('ok', { n: 1 }), { type: 'text', value: '{"n":1}' }],
    ['denied', result('denied', 'No.'), { type: 'error-text', value: 'No.' }],
    ['none', {}, { type: 'error-text', value: expect.stringContaining('outcome of this call is unknown') }],
  ])('%s', async (_, over, output) => {
    const [, asking, answering] = await prompt([user(), call(over)])
    const toolName = wireNames([]).toWire('a.b')
    expect(asking?.content).toEqual([{ type: 'tool-call', toolCallId: 'c1', toolName, input: {} }])
    expect(answering?.content).toEqual([{ type: 'tool-result', toolCallId: 'c1', toolName, output }])
    expect(answering?.role).toBe('tool')
  })

  test('has an id of nine characters at Mistral', async () => {
    const [, asking] = await prompt([user(), call({ providerCallId: 'call_of_another' })], { id: 'mistral.chat' })
    expect(asking?.content).toMatchObject([{ toolCallId: expect.stringMatching(/^[a-z0-9]{9}$/) }])
  })
})

test('a history that begins with a reply says that something was left out', async () => {
  expect((await prompt([reply([{ type: 'text', text: 'Hi' }])])).map(({ role }) => role)).toEqual(['user', 'assistant'])
})
