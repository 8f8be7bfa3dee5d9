import type { EventDraft } from '../protocol/events.ts'
import type { AssistantMessage, ToolCallPart, ToolResult, UserMessage } from '../protocol/messages.ts'
import { folded } from './folded.ts'

// Drafts of a small session, short to write: run `r`, reply `m`, calls of the tool `read`.

export const runId = 'r'
const model = { provider: 'p', model: 'm', api: 'a' }
export const usage = { run: { requests: 2 }, total: { requests: 7 } }
export const text = [{ type: 'text' as const, text: 'Hi' }]

export const created: EventDraft = { type: 'session-created', v: 1, title: 'Plans', principal: 'ann' }
export const runStart: EventDraft = { type: 'run-start', runId, trigger: 'input', inputIds: [], config: {} }
export const turnStart = (attempt = 1, fields: { purpose?: 'compaction' } = {}): EventDraft => ({
  type: 'turn-start',
  runId,
  turn: 1,
  attempt,
  messageId: 'm',
  purpose: 'reply',
  model,
  ...fields,
})
export const delta = (part: number, from: number, added: string): EventDraft => ({
  type: 'text-delta',
  runId,
  part,
  from,
  text: added,
})
export const call = (callId: string): ToolCallPart => ({
  type: 'tool-call',
  callId,
  toolName: 'read',
  input: { q: 1 },
  state: 'ready',
})
export const reply = (...parts: AssistantMessage['parts']): EventDraft => ({
  type: 'message',
  runId,
  message: { role: 'assistant', id: 'm', at: 1, parts },
})
export const user = (id: string): UserMessage => ({ role: 'user', id, at: 1, parts: text })
export const said = (id: string): EventDraft => ({ type: 'message', runId, message: user(id) })
export const result = (callId: string, fields: Partial<ToolResult> = {}): EventDraft => ({
  type: 'tool-result',
  runId,
  result: { callId, toolName: 'read', outcome: 'ok', output: 'done', durationMs: 3, ...fields },
})
export const input = (inputId: string, lane: 'start' | 'steer' | 'queue'): EventDraft => ({
  type: 'input',
  inputId,
  parts: text,
  lane,
})
export const asked = (id: string, callId: string): EventDraft => ({
  type: 'request',
  runId,
  request: { id, kind: 'approval', callId, path: ['s'] },
})
export const resolved = (requestId: string): EventDraft => ({
  type: 'request-resolved',
  runId,
  requestId,
  resolution: { decision: 'allow-once' },
  reason: 'answered',
})
export const finish = (reason: 'stop' | 'error' = 'stop'): EventDraft => ({ type: 'finish', runId, reason, usage })

/** A reply has begun and says nothing yet. */
export const streaming = folded([created, runStart, turnStart()])
/** The reply made the calls `c1` and `c2`. */
export const answering = folded([reply(call('c1'), call('c2'))], streaming)
