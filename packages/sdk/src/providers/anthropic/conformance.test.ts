import { test } from 'vitest'
import { providerConformance } from '../../testing/provider-conformance.ts'
import { anthropic } from './index.ts'

const payloads = [
  { type: 'message_start', message: { id: 'm', usage: { input_tokens: 3, output_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'One moment.' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 't1', name: 'look', input: {} } },
  { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"at":"it"}' } },
  { type: 'content_block_stop', index: 1 },
  { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } },
  { type: 'message_stop' },
].map((event) => JSON.stringify(event))

const open = (url: string, apiKey: string) => anthropic('claude-sonnet-4-5', { baseURL: `${url}/v1`, apiKey })

for (const { name, run } of providerConformance({ name: 'anthropic', api: 'anthropic', open, payloads })) {
  test(name, run)
}
