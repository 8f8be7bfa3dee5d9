import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../protocol/json.ts'
import type { AssistantMessage, Message } from '../protocol/messages.ts'
import { framed, type RecordedApi, recordingServer } from '../testing/recording-server.ts'
import { replied } from '../testing/replied.ts'
import { anthropic } from './anthropic/index.ts'
import { openai } from './openai-chat/index.ts'
import { openaiResponses } from './openai-responses/index.ts'
import type { FunctionTool, ModelEvent, ModelProvider } from './provider.ts'
import { wireNames } from './wire-names.ts'

const tool: FunctionTool = {
  type: 'function',
  name: 'files.read',
  description: 'Reads',
  inputSchema: { type: 'object' },
}
const wireName = wireNames([tool.name]).toWire(tool.name)
/** As long, and as full of signs, as the ids of some gateways. The two differ only at their end. */
const [first = '', second = ''] = ['1', '2'].map((end) => `${'call_A+/=|'.padEnd(90, 'x')}${end}`)

const providers: Readonly<Record<RecordedApi, (url: string) => ModelProvider>> = {
  'openai-chat': (baseURL) => openai('chat-model', { baseURL, quirks: 'openrouter', apiKey: 'k' }),
  'openai-responses': (baseURL) => openaiResponses('responses-model', { baseURL }),
  anthropic: (baseURL) => anthropic('claude-opus-5', { baseURL }),
}
const apis = Object.keys(providers) as RecordedApi[]

/** One reply with a thought, a text and two calls, in each API's own words. What is opaque says SECRET. */
const replies: Readonly<Record<RecordedApi, readonly object[]>> = {
  'openai-chat': [
    delta({ reasoning: 'Hm.', reasoning_details: [{ type: 'reasoning.text', text: 'Hm.', signature: 'SECRET' }] }),
    delta({ content: 'Reading.' }),
    delta({ tool_calls: [first, second].map((id, index) => ({ index, id, ...called() })) }),
    { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
  ],
  'openai-responses': [
    ...[
      { type: 'reasoning', id: 'rs_SECRET', summary: [], encrypted_content: 'SECRET' },
      { type: 'message', id: 'msg_SECRET', content: [{ type: 'output_text', text: 'Reading.' }] },
      { type: 'function_call', id: 'fc_SECRET', call_id: first, name: wireName, arguments: '{"p":1}' },
      { type: 'function_call', id: 'fc_SECRET2', call_id: second, name: wireName, arguments: '{"p":1}' },
      { type: 'web_search_call', id: 'ws_SECRET', status: 'completed' },
    ].map((item, output_index) => ({ type: 'response.output_item.done', output_index, item })),
    { type: 'response.completed', response: { status: 'completed' } },
  ],
  anthropic: [
    ...[
      { type: 'thinking', thinking: 'Hm.', signature: 'SECRET' },
      { type: 'redacted_thinking', data: 'SECRET' },
      { type: 'text', text: 'Reading.' },
      { type: 'server_tool_use', id: 'srv', name: 'web_search', input: { query: 'SECRET' } },
      { type: 'web_search_tool_result', tool_use_id: 'srv', content: [{ encrypted_content: 'SECRET' }] },
      { type: 'tool_use', id: first, name: wireName, input: { p: 1 } },
      { type: 'tool_use', id: second, name: wireName, input: { p: 1 } },
    ].flatMap((content_block, index) => [
      { type: 'content_block_start', index, content_block },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
    { type: 'message_stop' },
  ],
}

function delta(value: object): object {
  return { choices: [{ index: 0, delta: value }] }
}

function called(): object {
  return { type: 'function', function: { name: wireName, arguments: '{"p":1}' } }
}

/** The body with which an API is asked to go on with a history, and its reply as an agent would keep it. */
async function ask(
  api: RecordedApi,
  messages: readonly Message[],
): Promise<{ body: JsonObject; reply: AssistantMessage }> {
  const payloads = replies[api].map((payload) => JSON.stringify(payload))
  const server = await recordingServer([{ body: framed(api, payloads) }])
  const provider = providers[api](server.url)
  const bytes = () => Promise.reject(new Error('there are no bytes'))
  const events: ModelEvent[] = []
  const signal = new AbortController().signal
  for await (const batch of provider.stream({ messages, tools: [tool], settings: {}, bytes }, { signal }))
    events.push(...batch)
  await server.close()
  const model = { provider: `${api} SECRET`, model: provider.model, api }
  const answers = { [first]: { output: 'one' }, [second]: { output: 'two' } }
  const reply = replied(events, model, answers)
  return { body: server.requests[0]?.json as JsonObject, reply: JSON.parse(JSON.stringify(reply)) as AssistantMessage }
}

function user(text: string): Message {
  return { role: 'user', id: text, at: 0, parts: [{ type: 'text', text }] }
}

interface Pairs {
  /** Ids of calls and of results, in the order of the request. */
  readonly calls: readonly string[]
  readonly results: readonly string[]
  readonly names: readonly string[]
  readonly roles: readonly string[]
}

type Blocks = readonly { readonly [key: string]: string }[]

/** What of a body the rules of all APIs speak of. */
const pairs: Readonly<Record<RecordedApi, (body: JsonObject) => Pairs>> = {
  'openai-chat': ({ messages }) => {
    const all = messages as readonly {
      role: string
      tool_call_id: string
      tool_calls?: readonly { id: string; function: { name: string } }[]
    }[]
    const calls = all.flatMap(({ tool_calls = [] }) => tool_calls)
    return {
      calls: calls.map(({ id }) => id),
      results: all.filter(({ role }) => role === 'tool').map(({ tool_call_id }) => tool_call_id),
      names: calls.map((call) => call.function.name),
      roles: all.map(({ role }) => role),
    }
  },
  'openai-responses': ({ input }) => {
    const items = input as Blocks
    const calls = items.filter(({ type }) => type === 'function_call')
    return {
      calls: calls.map(({ call_id = '' }) => call_id),
      results: items.filter(({ type }) => type === 'function_call_output').map(({ call_id = '' }) => call_id),
      names: calls.map(({ name = '' }) => name),
      roles: items.map(({ type = '', role }) => role ?? type),
    }
  },
  anthropic: ({ messages }) => {
    const all = messages as unknown as readonly { role: string; content: Blocks }[]
    const blocks = all.flatMap(({ content }) => content)
    const calls = blocks.filter(({ type }) => type === 'tool_use')
    return {
      calls: calls.map(({ id = '' }) => id),
      results: blocks.filter(({ type }) => type === 'tool_result').map(({ tool_use_id = '' }) => tool_use_id),
      names: calls.map(({ name = '' }) => name),
      roles: all.map(({ role }) => role),
    }
  },
}

const roles: Readonly<Record<RecordedApi, readonly string[]>> = {
  'openai-chat': ['user', 'assistant', 'tool', 'tool', 'user'],
  'openai-responses': [
    'user',
    'assistant',
    'function_call',
    'function_call',
    'function_call_output',
    'function_call_output',
    'user',
  ],
  anthropic: ['user', 'assistant', 'user'],
}

describe.each(apis)('a history that %s wrote', (writer) => {
  test.each(apis)('goes on with %s', async (reader) => {
    const { reply } = await ask(writer, [user('go')])
    expect(JSON.stringify(reply)).toContain('SECRET')
    const kept = JSON.stringify(reply)
    const { body } = await ask(reader, [user('go'), reply, user('and now?')])

    const { calls, results, names, roles: turns } = pairs[reader](body)
    for (const id of calls) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    expect(new Set(calls).size).toBe(2)
    expect(results).toEqual(calls)
    expect(names).toEqual([wireName, wireName])
    expect(turns).toEqual(roles[reader])
    // The provider in the history is another one than the reader's, even where the API is the same.
    expect(JSON.stringify(body)).not.toContain('SECRET')
    expect(JSON.stringify(body)).not.toMatch(/<\/?think/)
    expect(JSON.stringify(reply)).toBe(kept)
  })
})
