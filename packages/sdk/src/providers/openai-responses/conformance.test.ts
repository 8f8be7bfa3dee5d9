import { test } from 'vitest'
import { providerConformance } from '../../testing/provider-conformance.ts'
import { openaiResponses } from './index.ts'

const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'look' }
const payloads = [
  { type: 'response.created', response: { id: 'r1' } },
  { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'msg_1', content: [] } },
  { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'One moment.' },
  { type: 'response.output_item.done', output_index: 0, item: { type: 'message', id: 'msg_1', content: [] } },
  { type: 'response.output_item.added', output_index: 1, item: { ...call, arguments: '' } },
  { type: 'response.function_call_arguments.delta', output_index: 1, delta: '{"at":"it"}' },
  { type: 'response.output_item.done', output_index: 1, item: { ...call, arguments: '{"at":"it"}' } },
  { type: 'response.completed', response: { id: 'r1', status: 'completed' } },
].map((event) => JSON.stringify(event))

const open = (baseURL: string, apiKey: string) => openaiResponses('gpt-5.2', { baseURL, apiKey })

for (const { name, run } of providerConformance({ name: 'responses', api: 'openai-responses', open, payloads })) {
  test(name, run)
}
