import { expect, test } from 'vitest'
import type { JsonObject } from '../../protocol/json.ts'
import type { AssistantMessage, Message } from '../../protocol/messages.ts'
import { replied } from '../../testing/replied.ts'
import type { ModelEvent } from '../provider.ts'
import { WireHistory } from '../wire-history.ts'
import { wireNames } from '../wire-names.ts'
import { wireMessages } from './messages.ts'
import { MessagesStream } from './stream.ts'

const MODEL = { provider: 'anthropic', model: 'claude-opus-5', api: 'anthropic' }
const names = wireNames(['read'])

/** A reply of these blocks, streamed in two halves each, as an agent would keep and store it. */
function stored(blocks: readonly JsonObject[]): AssistantMessage {
  const events: ModelEvent[] = []
  const stream = new MessagesStream('anthropic', names)
  for (const payload of blocks.flatMap(payloads)) stream.push({ data: JSON.stringify(payload) }, events)
  const message = replied(events, MODEL, { t1: { output: 'ok' } })
  return JSON.parse(JSON.stringify(message)) as AssistantMessage
}

function payloads(block: JsonObject, index: number): JsonObject[] {
  const deltas: JsonObject[] = []
  const start: Record<string, JsonObject[string]> = { ...block }
  const stream = (field: string, type: string, key: string) => {
    const value = start[field]
    if (value === undefined) return
    const whole = typeof value === 'string' ? value : JSON.stringify(value)
    start[field] = typeof value === 'string' ? '' : {}
    const half = whole.length >> 1
    for (const piece of [whole.slice(0, half), whole.slice(half)]) deltas.push({ type, [key]: piece })
  }
  if (block.type === 'text') stream('text', 'text_delta', 'text')
  if (block.type === 'thinking') stream('thinking', 'thinking_delta', 'thinking')
  if (block.type === 'thinking') stream('signature', 'signature_delta', 'signature')
  if (String(block.type).endsWith('tool_use')) stream('input', 'input_json_delta', 'partial_json')
  return [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]
}

async function resent(...messages: readonly Message[]): Promise<unknown> {
  const bytes = () => Promise.reject(new Error('there are no bytes'))
  const request = { messages, tools: [], settings: {}, bytes }
  const target = { ...MODEL, id: MODEL.provider, capabilities: {} }
  const wire = await wireMessages(request, { target, names, history: new WireHistory() })
  return wire.find(({ role }) => role === 'assistant')?.content
}

const user: Message = { role: 'user', id: 'u', at: 0, parts: [{ type: 'text', text: 'go' }] }

const thinkingAndTool = [
  { type: 'thinking', thinking: '  step one \n', signature: 'S1' },
  { type: 'redacted_thinking', data: 'RED' },
  { type: 'thinking', thinking: '', signature: 'S2' },
  { type: 'text', text: 'Reading 😀.' },
  { type: 'tool_use', id: 't1', name: 'read', input: { p: 1 }, caller: { type: 'direct' } },
]

const search = { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'x' } }
const found = { type: 'web_search_tool_result', tool_use_id: 's1', content: [{ encrypted_content: 'ENC' }] }
const nested = [
  { type: 'server_tool_use', id: 's0', name: 'code_execution', input: { code: 'search()' } },
  search,
  found,
  { type: 'code_execution_tool_result', tool_use_id: 's0', content: { encrypted_stdout: 'OUT' } },
  { type: 'text', text: 'Found it.', citations: [{ type: 'web_search_result_location', url: 'https://a.example' }] },
]

test.each([
  ['thoughts and a call', thinkingAndTool],
  ["a provider's calls inside each other", nested],
])('a reply of %s goes back block by block as it came', async (_, blocks) => {
  expect(await resent(user, stored(blocks), user)).toEqual(blocks)
})

test('a paused reply goes back as it came, and so does its continuation', async () => {
  const paused = [{ type: 'text', text: 'Searching. ' }, search]
  const rest = [found, { type: 'text', text: 'Found it.' }]
  expect(await resent(user, stored(paused))).toEqual(paused)
  expect(await resent(user, stored(paused), stored(rest), user)).toEqual([...paused, ...rest])
})
