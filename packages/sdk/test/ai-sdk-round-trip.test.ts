import { anthropic } from '@ai-sdk/anthropic'
import { expect, test } from 'vitest'
import { createAgent } from '../src/agent/create-agent.ts'
import { fromAISDK, providerTool } from '../src/ai-sdk.ts'
import { base64 } from '../src/providers/bytes.ts'
import { framed, type RecordedApi, recordingServer } from '../src/testing/recording-server.ts'
import { toolContent } from '../src/tools/content.ts'
import { defineTool } from '../src/tools/define-tool.ts'
import { type AISDKModelName, aiSDKModel } from './fixtures/ai-sdk-models.ts'
import { sent } from './fixtures/asked.ts'
import { lookReplies } from './fixtures/look-replies.ts'

const picture = Uint8Array.from({ length: 256 }, (_, byte) => byte)
const encoded = base64(picture)

const look = defineTool<{ at: string }>({
  name: 'look',
  description: 'Looks.',
  effect: 'read',
  input: { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] },
  execute: ({ at }) =>
    toolContent([
      { type: 'text', text: `This is ${at}.` },
      { type: 'image', mediaType: 'image/png', bytes: picture },
    ]),
})

interface Loop {
  readonly name: AISDKModelName
  readonly api: RecordedApi
  readonly replies: readonly (readonly string[])[]
  readonly settings?: object
  readonly tool?: typeof look
}

/** What the second request of a run holds whose first reply called the tool `look`. */
async function secondRequest<Body>({ name, api, replies, settings = {}, tool = look }: Loop): Promise<Body> {
  const server = await recordingServer(replies.map((payloads) => ({ body: framed(api, payloads) })))
  const model = fromAISDK(aiSDKModel(name, { baseURL: server.url, model: 'gpt-5.2' }))
  await using agent = createAgent({ model, tools: [tool], settings })
  const { reason, error } = await agent.run('Look.').result
  await server.close()
  expect({ reason, error }).toEqual({ reason: 'stop', error: undefined })
  return sent<Body>(server, 1)
}

interface Chat {
  readonly messages: readonly {
    readonly role: string
    readonly content: unknown
    readonly reasoning_content?: string
  }[]
}
interface Responses {
  readonly input: readonly { readonly type: string; readonly output?: unknown }[]
}
interface Gemini {
  readonly contents: readonly { readonly role: string; readonly parts: readonly object[] }[]
}

const chatEnd = lines({ choices: [{ index: 0, delta: { content: 'Seen.' }, finish_reason: 'stop' }] })
const responsesEnd = lookReplies.responses.filter((_, index) => index < 5 || index > 7)
const anthropicEnd = lookReplies.anthropic
  .filter((_, index) => index < 5 || index > 7)
  .map((line) => line.replace('tool_use', 'end_turn'))
const geminiEnd = lookReplies.gemini
  .slice(0, 1)
  .map((line) => line.replace('"index":0', '"index":0,"finishReason":"STOP"'))

test.each(['openai 3, chat', 'mistral 3'] as const)(
  '%s: the image of a result follows in a message of the user, for a result holds only text',
  async (name) => {
    const { messages } = await secondRequest<Chat>({ name, api: 'openai-chat', replies: [lookReplies.chat, chatEnd] })
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
    expect(messages[2]?.content).toBe('This is it.\n(An image follows below)')
    expect(JSON.stringify(messages[3]?.content)).toContain(encoded)
    expect(JSON.stringify(messages[2]?.content)).not.toContain(encoded)
  },
)

test.each(['openai 2, responses', 'openai 3, responses', 'openai 4, responses'] as const)(
  '%s: text and image stand in the result',
  async (name) => {
    const replies = [lookReplies.responses, responsesEnd]
    const { input } = await secondRequest<Responses>({ name, api: 'openai-responses', replies })
    expect(input.at(-1)).toMatchObject({
      type: 'function_call_output',
      output: [
        { type: 'input_text', text: 'This is it.' },
        { type: 'input_image', image_url: `data:image/png;base64,${encoded}` },
      ],
    })
  },
)

test('anthropic 3: text and image stand in the result', async () => {
  const replies = [lookReplies.anthropic, anthropicEnd]
  const { messages } = await secondRequest<Chat>({ name: 'anthropic 3', api: 'anthropic', replies })
  expect(messages.at(-1)?.content).toMatchObject([
    {
      type: 'tool_result',
      tool_use_id: 'call_1',
      content: [
        { type: 'text', text: 'This is it.' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: encoded } },
      ],
    },
  ])
})

test.each(['google 3', 'google 4'] as const)(
  '%s: text and image stand behind the call, which keeps its signature',
  async (name) => {
    const signed = lookReplies.gemini.map((line) =>
      line.replace('{"functionCall"', '{"thoughtSignature":"SIGNED","functionCall"'),
    )
    // Gemini's events are as bare as those of Chat Completions.
    const { contents } = await secondRequest<Gemini>({ name, api: 'openai-chat', replies: [signed, geminiEnd] })
    expect(contents.map(({ role }) => role)).toEqual(['user', 'model', 'user'])
    expect(contents[1]?.parts[1]).toMatchObject({
      functionCall: { name: 'look', args: { at: 'it' } },
      thoughtSignature: 'SIGNED',
    })
    expect(JSON.stringify(contents[2])).toContain('This is it.')
    expect(JSON.stringify(contents[2])).toContain(encoded)
  },
)

test('anthropic 3: thoughts go back with their signatures, sealed ones too', async () => {
  const thoughts = lines(
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'S1' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'redacted_thinking', data: 'SEALED' } },
    { type: 'content_block_stop', index: 1 },
  )
  const [start = '', ...rest] = lookReplies.anthropic
  const moved = rest.map((line) => line.replace(/"index":(\d)/, (_, index) => `"index":${Number(index) + 2}`))
  const replies = [[start, ...thoughts, ...moved], anthropicEnd]
  const { messages } = await secondRequest<Chat>({ name: 'anthropic 3', api: 'anthropic', replies })
  expect(messages[1]?.content).toMatchObject([
    { type: 'thinking', thinking: 'Hm.', signature: 'S1' },
    { type: 'redacted_thinking', data: 'SEALED' },
    { type: 'text', text: 'One moment.' },
    { type: 'tool_use', id: 'call_1', name: 'look', input: { at: 'it' } },
  ])
})

test('deepseek 2: thoughts go back in words', async () => {
  const thought = lines({ choices: [{ index: 0, delta: { reasoning_content: 'Hm.' }, finish_reason: null }] })
  const replies = [[...thought, ...lookReplies.chat], chatEnd]
  // An image would follow in a message of the user, and DeepSeek wants no thoughts of before that.
  const tool = { ...look, execute: () => 'Nothing.' }
  const { messages } = await secondRequest<Chat>({ name: 'deepseek 2', api: 'openai-chat', replies, tool })
  expect(messages[1]).toMatchObject({ role: 'assistant', content: 'One moment.', reasoning_content: 'Hm.' })
})

test.each(['openai 2, responses', 'openai 3, responses', 'openai 4, responses'] as const)(
  '%s: sealed thoughts go back before what they led to',
  async (name) => {
    const item = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'SEALED' }
    const [start = '', ...rest] = lookReplies.responses
    const thought = lines(
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.output_item.done', output_index: 0, item },
    )
    const moved = rest.map((line) => line.replace(/"output_index":(\d)/, (_, at) => `"output_index":${Number(at) + 1}`))
    const replies = [[start, ...thought, ...moved], responsesEnd]
    const settings = { extra: { openai: { store: false } } }
    const { input } = await secondRequest<Responses>({ name, api: 'openai-responses', replies, settings })
    expect(input.slice(1, 4)).toMatchObject([
      { type: 'reasoning', encrypted_content: 'SEALED' },
      { role: 'assistant' },
      { type: 'function_call', call_id: 'call_1' },
    ])
  },
)

test('what the provider ran goes back in its order, to the model it came from and to no other', async () => {
  const results = [
    { type: 'web_search_result', url: 'https://a.example/', title: 'A', encrypted_content: 'E', page_age: null },
  ]
  const searched = lines(
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
    },
    { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"query":"a"}' } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'content_block_start',
      index: 1,
      content_block: { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: results },
    },
    { type: 'content_block_stop', index: 1 },
  )
  const [start = '', ...rest] = anthropicEnd
  const moved = rest.map((line) => line.replace(/"index":(\d)/, (_, index) => `"index":${Number(index) + 2}`))
  const reply = framed('anthropic', [start, ...searched, ...moved])
  const server = await recordingServer([{ body: reply }, { body: reply }, { body: framed('openai-chat', chatEnd) }])
  const model = fromAISDK(aiSDKModel('anthropic 3', { baseURL: server.url, model: 'claude-sonnet-4-5' }))
  const other = fromAISDK(aiSDKModel('openai 3, chat', { baseURL: server.url }))
  const tools = [providerTool('search', anthropic.tools.webSearch_20250305({ maxUses: 2 }))]
  await using agent = createAgent({ model, tools })
  const session = await agent.session()
  await session.run('Search.').result
  const [, message] = session.state.history
  expect(message?.role === 'assistant' && message.parts).toMatchObject([
    { type: 'tool-call', executed: 'provider', toolName: 'search', input: { query: 'a' }, output: [{ title: 'A' }] },
    { type: 'text', text: 'One moment.' },
    { type: 'source', url: 'https://a.example/', title: 'A' },
  ])
  await session.run('Again.').result
  await session.run('And you?', { model: other }).result
  await server.close()

  expect(sent<{ tools: unknown }>(server).tools).toMatchObject([{ type: 'web_search_20250305', max_uses: 2 }])
  expect(sent<Chat>(server, 1).messages[1]?.content).toMatchObject([
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'a' } },
    { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: results },
    { type: 'text', text: 'One moment.' },
  ])
  expect(sent<Chat>(server, 2).messages.slice(0, 4)).toEqual([
    { role: 'user', content: 'Search.' },
    { role: 'assistant', content: 'One moment.' },
    { role: 'user', content: 'Again.' },
    { role: 'assistant', content: 'One moment.' },
  ])
})

function lines(...events: readonly object[]): readonly string[] {
  return events.map((event) =>
    JSON.stringify({ ...('choices' in event && { id: 'c', created: 1, model: 'm' }), ...event }),
  )
}
