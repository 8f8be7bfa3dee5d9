import { test } from 'vitest'
import { providerConformance } from '../../testing/provider-conformance.ts'
import { openai } from './index.ts'

const payloads = [
  { choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] },
  { choices: [{ index: 0, delta: { content: 'One moment.' } }] },
  {
    choices: [
      { index: 0, delta: { tool_calls: [{ index: 0, id: 'k1', function: { name: 'look', arguments: '{"at":' } }] } },
    ],
  },
  { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '"it"}' } }] } }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
].map((chunk) => JSON.stringify(chunk))

const open = (baseURL: string, apiKey: string) => openai('m', { baseURL, apiKey })

for (const { name, run } of providerConformance({ name: 'openai-chat', api: 'openai-chat', open, payloads }))
  test(name, run)
