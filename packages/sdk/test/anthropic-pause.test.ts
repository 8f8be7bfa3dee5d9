import { expect, test } from 'vitest'
import { createAgent } from '../src/agent/create-agent.ts'
import { anthropic, webSearch } from '../src/providers/anthropic/index.ts'
import { framed, recordingServer } from '../src/testing/recording-server.ts'

const search = { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: {} }
const found = { type: 'web_search_tool_result', tool_use_id: 'srv_1', content: [{ encrypted_content: 'ENC' }] }

function start(input_tokens: number) {
  return { type: 'message_start', message: { id: 'm', role: 'assistant', usage: { input_tokens, output_tokens: 1 } } }
}

function block(index: number, content_block: object, delta?: object) {
  return [
    { type: 'content_block_start', index, content_block },
    ...(delta ? [{ type: 'content_block_delta', index, delta }] : []),
    { type: 'content_block_stop', index },
  ]
}

function says(index: number, text: string) {
  return block(index, { type: 'text', text: '' }, { type: 'text_delta', text })
}

function end(stop_reason: string, output_tokens: number) {
  return [{ type: 'message_delta', delta: { stop_reason }, usage: { output_tokens } }, { type: 'message_stop' }]
}

function reply(...payloads: object[]) {
  return {
    body: framed(
      'anthropic',
      payloads.map((payload) => JSON.stringify(payload)),
    ),
  }
}

test("a reply that pauses for the provider's own tool goes on where it was, with nothing in between", async () => {
  const server = await recordingServer([
    reply(
      start(10),
      ...says(0, 'Searching. '),
      ...block(1, search, { type: 'input_json_delta', partial_json: '{"query":"x"}' }),
      ...end('pause_turn', 20),
    ),
    reply(start(40), ...block(0, found), ...says(1, 'Found it.'), ...end('end_turn', 8)),
    reply(start(60), ...says(0, 'You are welcome.'), ...end('end_turn', 4)),
  ])
  const model = anthropic('claude-opus-5', { baseURL: server.url, cache: false })
  await using agent = createAgent({ model, tools: [webSearch()] })
  const session = await agent.session()
  const first = await session.run('What is x?').result
  await session.run('Thanks').result
  await server.close()

  expect(first).toMatchObject({ reason: 'stop', usage: { run: { requests: 2, inputTokens: 50, outputTokens: 28 } } })
  const bodies = server.requests.map(({ json }) => json as { messages: { content: object[] }[]; tools: object[] })
  const paused = [
    { type: 'text', text: 'Searching. ' },
    { ...search, input: { query: 'x' } },
  ]
  expect(bodies[1]?.messages.slice(1)).toEqual([{ role: 'assistant', content: paused }])
  expect(bodies[1]?.tools).toEqual(bodies[0]?.tools)
  expect(bodies[2]?.messages[1]?.content).toEqual([...paused, found, { type: 'text', text: 'Found it.' }])
  const said = session.state.history.flatMap((message) => (message.role === 'assistant' ? message.parts : []))
  expect(said.map((part) => (part.type === 'text' ? part.text : '')).join('')).toBe(
    'Searching. Found it.You are welcome.',
  )
})
