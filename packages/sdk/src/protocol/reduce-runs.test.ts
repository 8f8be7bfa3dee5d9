import { describe, expect, test } from 'vitest'
import {
  answering,
  asked,
  call,
  created,
  finish,
  reply,
  resolved,
  result,
  runId,
  runStart,
  streaming,
  text,
  turnStart,
  usage,
  user,
} from '../testing/drafts.ts'
import { folded } from '../testing/folded.ts'
import type { EventDraft } from './events.ts'
import type { AssistantMessage, ToolCallPart } from './messages.ts'
import type { SessionState } from './state.ts'
import { NO_USAGE } from './usage.ts'

const parts = (state: SessionState) => (state.history.at(-1) as AssistantMessage).parts as ToolCallPart[]
describe('calls', () => {
  test('a committed message leaves its unanswered calls pending, but not those the provider ran', () => {
    const state = folded([reply(text[0] ?? call('x'), { ...call('c'), executed: 'provider' }, call('c1'))], streaming)
    expect(state.pending.calls).toEqual({
      c1: { callId: 'c1', toolName: 'read', messageId: 'm', part: 2, input: { q: 1 } },
    })
  })

  test('a result lands in its call', () => {
    const state = folded([result('c1')], answering)
    expect(parts(state)[0]).toMatchObject({ state: 'done', result: { output: 'done' } })
    expect(parts(state)[1]).toBe(parts(answering)[1])
    expect(Object.keys(state.pending.calls)).toEqual(['c2'])
  })

  test('a second result and one for an unknown call change nothing', () => {
    const once = folded([result('c1')], answering)
    const twice = folded([result('c1', { output: 'again' }), result('nobody')], once)
    expect(twice).toEqual({ ...once, seq: twice.seq })
    expect(twice.history).toBe(once.history)
  })

  test('a result whose message a reader does not hold closes the call and edits nothing', () => {
    const window: SessionState = { ...answering, history: [user('late')] }
    const state = folded([asked('q', 'c1'), result('c1')], window)
    expect(state.history).toBe(window.history)
    expect(Object.keys(state.pending.calls)).toEqual(['c2'])
  })

  test('artifacts become deliverables', () => {
    const artifact = { id: 'f', name: 'a.txt', mediaType: 'text/plain', size: 1, sha256: 'aa' }
    expect(folded([result('c1', { artifacts: [artifact] })], answering).deliverables).toEqual([artifact])
  })

  test('a stored start is remembered with its effect, a read is not', () => {
    const start = (callId: string, effect: 'read' | 'write'): EventDraft => ({
      type: 'tool-start',
      runId,
      callId,
      toolName: 'read',
      effect,
    })
    const { pending } = folded([start('c1', 'write'), start('c2', 'read')], answering)
    expect([pending.calls.c1?.started, pending.calls.c2?.started]).toEqual(['write', undefined])
  })
})

describe('status', () => {
  test('idle, running, stopping, idle', () => {
    const stopping = folded([{ type: 'abort', runId }], streaming)
    expect([folded([created]), streaming, stopping, folded([finish()], stopping)].map(({ status }) => status)).toEqual([
      'idle',
      'running',
      'stopping',
      'idle',
    ])
    expect(folded([{ type: 'abort', runId: 'another' }], streaming).status).toBe('running')
  })

  test('waiting when every open call waits for a request', () => {
    const one = folded([asked('q1', 'c1')], answering)
    const both = folded([asked('q2', 'c2')], one)
    expect([one.status, both.status]).toEqual(['running', 'waiting'])
    expect(parts(both).map(({ state }) => state)).toEqual(['waiting', 'waiting'])
    const answered = folded([resolved('q2')], both)
    expect([answered.status, parts(answered)[1]?.state, answered.pending.requests.length]).toEqual([
      'running',
      'ready',
      1,
    ])
  })

  test('a call with two open requests waits until both are resolved, in whatever order', () => {
    const two = folded([asked('q1', 'c1'), asked('q2', 'c1'), asked('q3', 'c2')], answering)
    for (const [first, second] of [
      ['q1', 'q2'],
      ['q2', 'q1'],
    ] as const) {
      const half = folded([resolved(first)], two)
      expect([half.status, half.pending.calls.c1?.requestId, parts(half)[0]?.state]).toEqual([
        'waiting',
        second,
        'waiting',
      ])
      expect(folded([resolved(second)], half).status).toBe('running')
    }
  })

  test('a resolution nobody asked for changes nothing', () => {
    expect(folded([resolved('x')], answering).pending).toBe(answering.pending)
  })
})

describe('usage', () => {
  const spent: EventDraft = {
    type: 'usage',
    runId,
    call: { inputTokens: 3, outputTokens: 1 },
    ...usage,
    model: 'm-2',
    requestedModel: 'm',
    stop: 'stop',
    context: { used: 4 },
    budgetRemaining: { tokens: 10 },
  }

  test('takes the sums as told and counts its own calls by model', () => {
    const state = folded([spent, { ...spent, model: 'm-3' }], streaming)
    expect(state.usage).toMatchObject({ ...usage, context: { used: 4 }, budgetRemaining: { tokens: 10 } })
    expect(state.usage.own).toEqual({ requests: 2, inputTokens: 6, outputTokens: 2, totalTokens: 8 })
    expect(Object.keys(state.usage.byModel)).toEqual(['m-2', 'm-3'])
    expect(state.run?.openCall).toBeUndefined()
  })

  test('a model may be called anything', () => {
    for (const odd of ['constructor', '__proto__', 'toString']) {
      const { byModel } = folded(
        [
          { ...spent, model: odd },
          { ...spent, model: odd },
        ],
        streaming,
      ).usage
      expect(Object.entries(byModel)).toEqual([[odd, { requests: 2, inputTokens: 6, outputTokens: 2, totalTokens: 8 }]])
    }
  })

  test('a new run counts from nothing', () => {
    expect(folded([spent, finish(), runStart], streaming).usage).toMatchObject({ run: NO_USAGE, total: usage.total })
  })

  test('tells how a whole reply ended, until the next turn starts; failed attempts and compactions do not', () => {
    const ended = (stop: 'stop' | 'error', more: Parameters<typeof turnStart>[1] = {}) => {
      const spent: EventDraft = { type: 'usage', runId, call: {}, ...usage, model: 'm', requestedModel: 'm', stop }
      return folded([runStart, turnStart(1, more), spent])
    }
    expect(ended('stop').run?.replyStop).toBe('stop')
    expect(ended('error').run?.replyStop).toBeUndefined()
    expect(ended('stop', { purpose: 'compaction' }).run?.replyStop).toBeUndefined()
    expect(folded([turnStart(2)], ended('stop')).run?.replyStop).toBeUndefined()
  })
})

describe('runs', () => {
  test('run-start remembers which instructions the log holds', () => {
    const config = { instructions: 'Be brief.', instructionsHash: 'h1' }
    const run = folded([
      { ...runStart, config } as EventDraft,
      finish(),
      { ...runStart, config: { instructionsHash: 'h1' } } as EventDraft,
    ])
    expect(run.instructions).toEqual(['h1'])
  })

  test('finish closes everything and stays readable', () => {
    const ended = folded([asked('q1', 'c1'), finish('error')], answering)
    expect(ended.run).toBeUndefined()
    expect(ended.pending).toMatchObject({ calls: {}, requests: [] })
    expect(ended.lastFinish).toEqual({ runId, reason: 'error', usage, at: ended.seq })
    expect(ended.usage).toMatchObject(usage)
    expect(folded([finish()], streaming).pending.message).toBeUndefined()
  })

  test('a turn without a run is passed over', () => {
    const stray = folded([turnStart()])
    expect([stray.run, stray.pending.message, stray.status]).toEqual([undefined, undefined, 'idle'])
  })
})
