import { expect, test } from 'vitest'
import type { AgentEvent, EventDraft } from '../protocol/events.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { PermissionRecord } from '../protocol/permissions.ts'
import { collectPending } from './pending.ts'
import { permissions } from './permissions.ts'

function log(...drafts: EventDraft[]): AgentEvent[][] {
  return drafts.map((draft, i) => [{ ...draft, seq: i + 1, at: 0 } as AgentEvent])
}

function called(callId: string, input: JsonObject): EventDraft {
  const part = { type: 'tool-call', callId, toolName: 'bash', input, state: 'ready' } as const
  return { type: 'message', runId: 'r', message: { role: 'assistant', id: `m-${callId}`, at: 0, parts: [part] } }
}

function denied(callId: string, command: string, by: PermissionRecord['by'] = 'unattended'): EventDraft {
  const permission = { by, reason: 'asked', effect: 'write', operations: [{ kind: 'execute', target: command }] }
  const result = {
    callId,
    toolName: 'bash',
    outcome: 'denied',
    output: '',
    durationMs: 0,
    metadata: { permission },
  } as const
  return { type: 'tool-result', runId: 'r', result }
}

const runs = (id: string, command: string) => [called(id, { command }), denied(id, command)]

test('what was denied for want of anybody is pending, once, with the rule that would let it pass', async () => {
  const events = log(...runs('c1', 'make'), ...runs('c2', 'make'), ...runs('c3', 'make $x'))
  const policy = permissions({ unattended: true })
  expect(await collectPending({ sessionId: 's', events, policy })).toEqual([
    {
      callId: 'c1',
      toolName: 'bash',
      input: { command: 'make' },
      operations: [{ kind: 'execute', target: 'make' }],
      reason: expect.any(String),
      suggestedRule: 'bash(make)',
    },
    expect.objectContaining({ callId: 'c3', input: { command: 'make $x' } }),
  ])
})

test('what a rule allows or denies today is not', async () => {
  const events = log(...runs('c1', 'make'), ...runs('c2', 'rm a'), ...runs('c3', 'whoami'))
  const policy = permissions({ rules: { allow: ['bash(make)'], deny: ['bash(rm *)'] } })
  const pending = await collectPending({ sessionId: 's', events, policy })
  expect(pending.map(({ callId }) => callId)).toEqual(['c3'])
})

test('what someone remembered since counts, for whom it was remembered', async () => {
  const events = log(...runs('c1', 'make'))
  const policy = permissions({ unattended: true })
  const operations = [{ kind: 'execute', target: 'make' }] as const
  const call = { toolName: 'bash', effect: 'write', input: {}, operations, sessionId: 't', principal: 'ada' } as const
  await policy.remember?.(call, 'allow-always')
  expect(await collectPending({ sessionId: 's', principal: 'ada', events, policy })).toEqual([])
  expect(await collectPending({ sessionId: 's', principal: 'bob', events, policy })).toHaveLength(1)
})

test('other denials, other results and records of another shape are not', async () => {
  const odd = denied('c3', 'make') as Extract<EventDraft, { type: 'tool-result' }>
  const records: JsonObject[] = [
    {},
    { permission: null },
    { permission: { by: 'unattended' } },
    { permission: 'unattended' },
  ]
  const shapes = records.map((metadata): EventDraft => ({ ...odd, result: { ...odd.result, metadata } }))
  const ran: EventDraft = { ...odd, result: { ...odd.result, outcome: 'ok' } }
  const events = log(called('c1', {}), denied('c1', 'make', 'rule'), called('c3', {}), ...shapes, ran)
  expect(await collectPending({ sessionId: 's', events, policy: permissions() })).toEqual([])
})

test('a fork’s history and an asynchronous log are read too', async () => {
  const { result } = denied('c1', 'make') as Extract<EventDraft, { type: 'tool-result' }>
  const part = {
    type: 'tool-call',
    callId: 'c1',
    toolName: 'bash',
    input: { command: 'make' },
    state: 'done',
    result,
  } as const
  const history: EventDraft = { type: 'history', messages: [{ role: 'assistant', id: 'm', at: 0, parts: [part] }] }
  async function* events() {
    yield* log(history)
  }
  const pending = await collectPending({ sessionId: 's', events: events(), policy: permissions() })
  expect(pending).toMatchObject([{ callId: 'c1', input: { command: 'make' } }])
})
