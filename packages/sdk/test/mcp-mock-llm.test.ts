import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createOpenAI } from '@ai-sdk/openai'
import { createServer } from '@dwmkerr/mock-llm/dist/server.js'
import { simulateStreamingMiddleware, wrapLanguageModel } from 'ai'
import { afterEach, expect, test, vi } from 'vitest'
import { createAgent } from '../src/agent/create-agent.ts'
import { fromAISDK } from '../src/ai-sdk.ts'
import { connectMcp } from '../src/mcp/index.ts'
import { openai } from '../src/providers/openai-chat/index.ts'
import { results } from '../src/testing/agent-world.ts'
import { testServer, text, tool } from './fixtures/mcp.ts'

const opened: { close(): unknown }[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()))
  vi.restoreAllMocks()
})

// A model endpoint that nobody here wrote. It streams text alone, so its call of a tool comes as a whole reply, which the
// middleware of the AI SDK turns into a stream.
test('a session with an MCP tool, over an endpoint, a provider package and a tool server from elsewhere', async () => {
  vi.spyOn(console, 'log').mockImplementation(() => {})
  const call = { id: 'c1', type: 'function', function: { name: 'mcp__box__weather', arguments: '{"city":"Oslo"}' } }
  const reply = (message: object, finish_reason: string) =>
    JSON.stringify({
      ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'mock' },
      choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
    })
  const rule = (content: string, more = {}) => ({
    path: '/v1/chat/completions',
    response: { status: 200, content },
    ...more,
  })
  const app = createServer(
    {
      streaming: { chunkSize: 4, chunkIntervalMs: 1 },
      rules: [
        rule(reply({ content: 'It says: {{jmes request body.messages[-1].content}}' }, 'stop')),
        rule(reply({ content: null, tool_calls: [call] }, 'tool_calls'), { sequence: 0 }),
      ],
    },
    '127.0.0.1',
    0,
  )
  const endpoint = app.listen(0, '127.0.0.1')
  await once(endpoint, 'listening')
  const baseURL = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/v1`

  const box = testServer({
    tools: [tool('weather', { annotations: { readOnlyHint: true } })],
    call: ({ input }) => text(`Rain in ${input.city}.`),
  })
  const mcp = await connectMcp({ servers: { box: box.server } })
  opened.push(mcp, { close: () => endpoint.close() })

  const model = wrapLanguageModel({
    model: createOpenAI({ baseURL, apiKey: 'none' }).chat('mock'),
    middleware: simulateStreamingMiddleware(),
  })
  const agent = createAgent({ model: fromAISDK(model), tools: () => mcp.tools })
  const session = await agent.session()
  const { reason, text: said } = await session.run('How is the weather?').result
  expect([reason, said]).toEqual(['stop', 'It says: Rain in Oslo.'])
  expect(results(session.state)).toMatchObject([
    { toolName: 'mcp__box__weather', outcome: 'ok', output: 'Rain in Oslo.' },
  ])

  // The same history by our own provider, streamed.
  const own = await session.run('Thanks!', { model: openai('mock', { baseURL, apiKey: 'none' }) }).result
  expect([own.reason, own.text]).toEqual(['stop', 'It says: Thanks!'])
  await agent.close()
})
