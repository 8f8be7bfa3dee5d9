import { expect, test } from 'vitest'
import { recordingServer } from '../../testing/recording-server.ts'
import type { ModelProvider } from '../provider.ts'
import { anthropic } from './index.ts'

async function ask(provider: ModelProvider): Promise<void> {
  const request = {
    messages: [],
    tools: [],
    settings: {},
    bytes: () => Promise.reject(new Error('there are no bytes')),
  }
  for await (const _ of provider.stream(request, { signal: new AbortController().signal }));
}

test('the key, the version and headers of the moment go with each request', async () => {
  const server = await recordingServer(() => ({}))
  let n = 0
  const headers = async () => ({ 'Anthropic-Beta': `b${++n}` })
  const provider = anthropic('claude-opus-5', { baseURL: `${server.url}/v1/`, apiKey: 'k', headers })
  await ask(provider)
  await ask(provider)
  await server.close()
  expect(server.requests.map(({ path }) => path)).toEqual(['/v1/messages', '/v1/messages'])
  expect(server.requests.map((request) => request.headers['anthropic-beta'])).toEqual(['b1', 'b2'])
  expect(server.requests[0]?.headers).toMatchObject({ 'x-api-key': 'k', 'anthropic-version': '2023-06-01' })
})

test('a gateway may need no key, and is not sent the one of the environment', async () => {
  const server = await recordingServer([{}])
  await ask(anthropic('claude-opus-5', { baseURL: server.url }))
  await server.close()
  expect(server.requests[0]?.headers).not.toHaveProperty('x-api-key')
})

test('it is known by provider, model and API', () => {
  const capabilities = { contextWindow: 200_000 }
  expect(anthropic('claude-opus-5', { capabilities })).toMatchObject({
    id: 'anthropic',
    model: 'claude-opus-5',
    api: 'anthropic',
    capabilities,
  })
})
