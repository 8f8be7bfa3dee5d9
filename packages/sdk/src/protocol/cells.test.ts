import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  answering,
  asked,
  call,
  delta,
  finish,
  input,
  reply,
  result,
  runId,
  said,
  streaming,
  turnStart,
} from '../testing/drafts.ts'
import { folded } from '../testing/folded.ts'
import { type Choose, chances, randomStep } from '../testing/random-steps.ts'
import { type CellKey, changedCells } from './cells.ts'
import type { AgentEvent, EventDraft } from './events.ts'
import type { Message } from './messages.ts'
import { reduce } from './reduce.ts'
import { initialState, type SessionState } from './state.ts'

const woken = (state: SessionState, ...drafts: EventDraft[]) => [...changedCells(state, folded(drafts, state))].sort()

describe('what wakes what', () => {
  const hello = folded([delta(0, 0, 'Hel')], streaming)

  test('a token wakes the one part that shows it', () => {
    expect(woken(hello, delta(0, 3, 'lo'))).toEqual(['part:m/0'])
  })

  test('a first token wakes its new part and the message that has one more', () => {
    expect(woken(hello, delta(1, 0, '!'))).toEqual(['message:m', 'part:m/1'])
  })

  test('a growing input wakes its call too', () => {
    const grown: EventDraft = { type: 'tool-input-delta', runId, part: 1, from: 2, text: '}', callId: 'c' }
    const calling = folded([{ ...grown, from: 0, text: '{"' }], hello)
    expect(woken(calling, grown)).toEqual(['call:c', 'part:m/1'])
  })

  test('a landed result wakes its part and its call, never the list', () => {
    expect(woken(answering, result('c1'))).toEqual(['call:c1', 'part:m/0'])
  })

  test('a committed message keeps the list quiet', () => {
    const cells = woken(hello, reply({ type: 'text', text: 'Hello' }))
    expect(cells).not.toContain('list')
    expect(cells).toContain('part:m/0')
  })

  test('a new message wakes the list and itself', () => {
    expect(woken(hello, said('u'))).toEqual(['list', 'message:u', 'part:u/0'])
  })

  test('a thrown away attempt wakes everything that showed it', () => {
    const calling = folded([{ type: 'tool-input-delta', runId, part: 1, from: 0, text: '{', callId: 'c' }], hello)
    expect(woken(calling, turnStart(2))).toEqual(['call:c', 'message:m', 'part:m/0', 'part:m/1', 'run'])
  })

  test('a rewind wakes what is gone', () => {
    const idle = folded([said('u'), result('c1'), finish()], answering)
    const cells = woken(idle, { type: 'rewound', toMessageId: 'm' })
    expect(cells).toEqual(['list', 'message:u', 'part:u/0'])
    expect(woken(idle, { type: 'rewound' })).toEqual(
      expect.arrayContaining(['list', 'message:m', 'part:m/0', 'call:c1', 'message:u']),
    )
  })

  test('older messages loaded above wake the list and themselves, not those below', () => {
    const window: SessionState = { ...answering, history: answering.history.slice() }
    const old: Message = { role: 'user', id: 'old', at: 1, parts: [] }
    const cells = changedCells(window, { ...window, history: [old, ...window.history] })
    expect([...cells].sort()).toEqual(['list', 'message:old'])
  })

  test('a request wakes the requests, itself and its call', () => {
    expect(woken(answering, asked('q', 'c1'))).toEqual(['call:c1', 'part:m/0', 'request:q', 'requests'])
  })

  test('a waiting input wakes the queue alone', () => {
    expect(woken(streaming, input('i', 'queue'))).toEqual(['queue'])
  })

  test('live output wakes its call alone, an activity itself, a fault the run', () => {
    const shown = folded([{ type: 'tool-call', runId, callId: 'c1', toolName: 'read', input: {} }], answering)
    expect(woken(shown, { type: 'tool-output', runId, callId: 'c1', text: 'x' })).toEqual(['call:c1'])
    expect(woken(shown, { type: 'activity', runId, activity: { kind: 'probing' } })).toEqual(['activity'])
    const fault = { code: 'store.full', message: 'The disk is full.', retryable: false }
    expect([...changedCells(shown, { ...shown, live: { ...shown.live, fault } })]).toEqual(['run'])
  })

  test('the same state wakes nothing', () => {
    expect(changedCells(answering, answering).size).toBe(0)
    expect(woken(answering, result('unknown'))).toEqual([])
  })

  test('a whole turn at once wakes all of it', () => {
    const turn = [delta(0, 3, 'lo'), reply({ type: 'text', text: 'Hello' }, call('c')), result('c'), finish()]
    expect(woken(hello, ...turn)).toEqual(
      expect.arrayContaining(['message:m', 'part:m/0', 'part:m/1', 'call:c', 'run']),
    )
  })
})

/** Everything a reader of each cell sees. */
function projections(state: SessionState): Map<CellKey, unknown> {
  const { pending, live } = state
  const messages: readonly Message[] = pending.message ? [...state.history, pending.message] : state.history
  const calls: Record<string, unknown[]> = {}
  const cells = new Map<CellKey, unknown>([
    ['list', messages.map(({ id }) => id)],
    ['run', [state.status, state.run, state.lastFinish, live.fault]],
    ['queue', pending.lanes],
    ['requests', pending.requests],
    ['usage', state.usage],
    ['tasks', [state.tasks, live.tasks]],
    ['deliverables', state.deliverables],
    ['notices', state.notices],
    ['row', state.row],
    ['activity', live.activity],
  ])
  for (const message of messages) {
    const parts = message.role === 'note' ? [] : message.parts
    const kinds = parts.map((part) => (part.type === 'tool-call' ? part.callId : part.type))
    cells.set(`message:${message.id}`, { ...message, parts: kinds })
    parts.forEach((part, i) => {
      cells.set(`part:${message.id}/${i}`, part)
      if (part.type === 'tool-call') calls[part.callId] = [part]
    })
  }
  for (const [callId, shown] of [...Object.entries(pending.calls), ...Object.entries(live.calls)]) {
    calls[callId] = [...(calls[callId] ?? []), shown]
  }
  for (const [callId, shown] of Object.entries(calls)) cells.set(`call:${callId}`, shown)
  for (const request of pending.requests) cells.set(`request:${request.id}`, request)
  for (const id of Object.keys({ ...state.tasks, ...live.tasks }))
    cells.set(`task:${id}`, [state.tasks[id], live.tasks[id]])
  return cells
}

function randomBatch(state: SessionState, choose: Choose, mint: (prefix: string) => string): SessionState {
  let next = state
  for (let steps = 1 + choose(6); steps > 0; steps--) {
    const events = randomStep(next, choose, mint).map(
      (draft, i): AgentEvent => ({ ...draft, seq: next.seq + 1 + i, at: 0 }),
    )
    next = reduce(next, events)
  }
  return next
}

test('no cell is missed: over random histories every cell that shows something else is in the set', () => {
  const property = (seed: number) => {
    const choose = chances(seed)
    let ids = 0
    let state = initialState('s')
    for (let i = 0; i < 25; i++) {
      const next = randomBatch(state, choose, (prefix) => `${prefix}-${++ids}`)
      const cells = changedCells(state, next)
      const before = projections(state)
      const after = projections(next)
      for (const cell of new Set([...before.keys(), ...after.keys()])) {
        const isMissed = !cells.has(cell) && !isDeepStrictEqual(after.get(cell), before.get(cell))
        if (isMissed) expect.fail(`${cell} was not woken`)
      }
      state = next
    }
  }
  fc.assert(fc.property(fc.integer(), property), { seed: 10, numRuns: 200 })
})
