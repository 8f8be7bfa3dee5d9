import { expect, test } from 'vitest'
import { type AgentEventType, isDelta, isDurable } from './events.ts'
import { NO_USAGE } from './usage.ts'

const run = { runId: 'r' }
const sums = { run: NO_USAGE, total: NO_USAGE }
const model = { provider: 'p', model: 'm', api: 'a' }
const text = { part: 0, from: 0, text: '' }

test.each<[Parameters<typeof isDurable>[0], boolean]>([
  [{ type: 'session-created', v: 1 }, true],
  [{ type: 'session-updated' }, true],
  [{ type: 'input', inputId: 'i', parts: [], lane: 'start' }, true],
  [{ type: 'input-changed', inputId: 'i' }, true],
  [{ type: 'input-returned', inputId: 'i', reason: 'removed' }, true],
  [{ type: 'abort', ...run }, true],
  [{ type: 'history', messages: [] }, true],
  [{ type: 'run-start', ...run, trigger: 'input', inputIds: [], config: {} }, true],
  [{ type: 'turn-start', ...run, turn: 1, attempt: 1, messageId: 'm', purpose: 'reply', model }, true],
  [{ type: 'text-delta', ...text }, false],
  [{ type: 'reasoning-delta', ...text }, false],
  [{ type: 'tool-input-delta', ...text, callId: 'c' }, false],
  [{ type: 'message', message: { role: 'user', id: 'm', at: 1, parts: [] } }, true],
  [{ type: 'usage', ...run, call: {}, ...sums, model: 'm', requestedModel: 'm', stop: 'stop' }, true],
  [{ type: 'tool-call', callId: 'c', toolName: 't', input: {} }, false],
  [{ type: 'tool-input-changed', callId: 'c', toolName: 't', input: {}, plugin: 'p' }, true],
  [{ type: 'tool-start', callId: 'c', toolName: 't', effect: 'read' }, false],
  [{ type: 'tool-start', callId: 'c', toolName: 't', effect: 'idempotent' }, true],
  [{ type: 'tool-start', callId: 'c', toolName: 't', effect: 'write' }, true],
  [{ type: 'tool-output', callId: 'c', text: '' }, false],
  [{ type: 'tool-result', result: { callId: 'c', toolName: 't', outcome: 'ok', output: '', durationMs: 0 } }, true],
  [{ type: 'request', request: { id: 'q', kind: 'approval', path: [] } }, true],
  [{ type: 'request-resolved', requestId: 'q', resolution: {}, reason: 'answered' }, true],
  [{ type: 'notice', code: 'c', text: '' }, true],
  [{ type: 'task', task: { id: 't', kind: 'job', state: 'running' } }, true],
  [{ type: 'task', task: { id: 't', kind: 'job', state: 'running' }, live: true }, false],
  [{ type: 'rewound' }, true],
  [{ type: 'activity' }, false],
  [{ type: 'finish', ...run, reason: 'stop', usage: sums }, true],
])('%j is durable: %s', (event, durable) => {
  expect(isDurable(event)).toBe(durable)
})

test('only the three deltas are deltas', () => {
  const types: AgentEventType[] = ['text-delta', 'reasoning-delta', 'tool-input-delta', 'tool-output', 'message']
  expect(types.filter((type) => isDelta({ type }))).toEqual(types.slice(0, 3))
})
