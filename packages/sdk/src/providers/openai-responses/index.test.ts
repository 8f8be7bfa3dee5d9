import { expect, test } from 'vitest'
import { recordingServer } from '../../testing/recording-server.ts'
import type { ModelEvent, ModelProvider } from '../provider.ts'
import { openaiResponses } from './index.ts'

async function ask(provider: ModelProvider, settings: object = {}): Promise<ModelEvent[]> {
  const request = { messages: [], tools: [], settings, bytes: () => Promise.reject(new Error('there are no bytes')) }
  const events: ModelEvent[] = []
  for await (const batch of provider.stream(request, { signal: new AbortController().signal })) events.push(...batch)
  return events
}

test('the key and headers of the moment go with each request', async () => {
  const server = await recordingServer([{}])
  const headers = () => ({ 'OpenAI-Organization': 'o' })
  await ask(openaiResponses('gpt-5.2', { baseURL: `${server.url}/v1`, apiKey: 'k', headers }))
  await server.close()
  expect(server.requests[0]).toMatchObject({
    path: '/v1/responses',
    headers: { authorization: 'Bearer k', 'openai-organization': 'o' },
  })
})

test('another host may need no key, and is another provider', async () => {
  const server = await recordingServer([{}])
  const provider = openaiResponses('m', { baseURL: server.url })
  await ask(provider)
  await server.close()
  expect(server.requests[0]?.headers).not.toHaveProperty('authorization')
  expect(provider.id).toBe(new URL(server.url).host)
  expect(openaiResponses('gpt-5.2').id).toBe('openai')
})

test('what cannot be sent is said', async () => {
  const server = await recordingServer([{}])
  const events = await ask(openaiResponses('m', { baseURL: server.url }), { stop: ['END'], seed: 1 })
  await server.close()
  expect(events.map((event) => event.type === 'warning' && event.code)).toEqual([
    'provider.setting-ignored',
    'provider.setting-ignored',
  ])
})

test('an address that is none is a configuration error', async () => {
  await expect(ask(openaiResponses('m', { baseURL: 'nonsense' }))).rejects.toMatchObject({ code: 'config.invalid' })
})
