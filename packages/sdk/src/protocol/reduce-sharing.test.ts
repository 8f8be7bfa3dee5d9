import fc from 'fast-check'
import { expect, test } from 'vitest'
import { answering, call, finish, input, reply, result, runId, runStart, said, streaming } from '../testing/drafts.ts'
import { folded } from '../testing/folded.ts'
import { chances, randomStep } from '../testing/random-steps.ts'
import type { AgentEvent, AgentEventType, EventDraft } from './events.ts'
import { reduce } from './reduce.ts'
import { initialState, type SessionState } from './state.ts'

/** The slices that an event of a type may change; `seq` and `status` may always follow. */
const MAY_CHANGE: Readonly<Record<AgentEventType, readonly (keyof SessionState)[]>> = {
  'session-created': ['row'],
  'session-updated': ['row'],
  input: ['pending'],
  'input-changed': ['pending'],
  'input-returned': ['pending'],
  abort: ['run'],
  history: ['history'],
  'run-start': ['run', 'instructions', 'usage', 'pending'],
  'turn-start': ['run', 'pending', 'usage', 'live'],
  'text-delta': ['pending'],
  'reasoning-delta': ['pending'],
  'tool-input-delta': ['pending'],
  message: ['history', 'pending'],
  usage: ['usage', 'run'],
  'tool-call': ['live'],
  'tool-input-changed': ['pending'],
  'tool-start': ['pending', 'live'],
  'tool-output': ['live'],
  'tool-result': ['history', 'pending', 'deliverables', 'live'],
  request: ['pending', 'history'],
  'request-resolved': ['pending', 'history'],
  compaction: ['history'],
  notice: ['notices'],
  task: ['tasks', 'live'],
  rewound: ['history'],
  activity: ['live'],
  finish: ['run', 'pending', 'usage', 'lastFinish', 'live'],
}

/** A random session, each event handed over with the state before it. */
function walk(seed: number, steps: number, visit: (state: SessionState, event: AgentEvent) => SessionState): void {
  const choose = chances(seed)
  let ids = 0
  let state = initialState('s')
  for (let i = 0; i < steps; i++) {
    for (const draft of randomStep(state, choose, (prefix) => `${prefix}-${++ids}`)) {
      state = visit(state, { ...draft, seq: state.seq + 1, at: i })
    }
  }
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value)) deepFreeze(inner)
  }
  return value
}

const runs = { seed: 9, numRuns: 200 }

test('neither the state nor the events given are ever written to', () => {
  const property = (seed: number) => {
    walk(seed, 60, (state, event) => deepFreeze(reduce(state, [deepFreeze(event)])))
    const events: AgentEvent[] = []
    walk(seed, 60, (state, event) => {
      events.push(event)
      return reduce(state, [event])
    })
    const cut = Math.abs(seed) % (events.length + 1)
    const before = deepFreeze(reduce(initialState('s'), events.slice(0, cut)))
    reduce(before, deepFreeze(events.slice(cut)))
  }
  fc.assert(fc.property(fc.integer(), property), runs)
})

test('a slice that an event does not concern keeps its reference', () => {
  const seen = new Set<AgentEventType>()
  const property = (seed: number) => {
    walk(seed, 80, (before, event) => {
      const after = reduce(before, [event])
      seen.add(event.type)
      for (const slice of Object.keys({ ...before, ...after }) as (keyof SessionState)[]) {
        const allowed = slice === 'seq' || slice === 'status' || MAY_CHANGE[event.type].includes(slice)
        if (!allowed && before[slice] !== after[slice]) expect.fail(`${event.type} changed ${slice}`)
      }
      return after
    })
  }
  fc.assert(fc.property(fc.integer(), property), runs)
  expect([...seen].sort()).toEqual(Object.keys(MAY_CHANGE).sort())
})

test('messages and parts that an event does not name keep their references', () => {
  const property = (seed: number) => {
    walk(seed, 80, (before, event) => {
      const after = reduce(before, [event])
      const changed = after.history.filter((message, i) => i < before.history.length && before.history[i] !== message)
      const names = event.type === 'tool-result' || event.type === 'request' || event.type === 'request-resolved'
      expect(changed.length).toBeLessThanOrEqual(names ? 1 : 0)
      const growing = after.pending.message?.parts ?? []
      const old = before.pending.message?.parts ?? []
      if ('part' in event) {
        const grown = growing.flatMap((part, i) => (part === old[i] ? [] : i))
        expect([[], [event.part]]).toContainEqual(grown)
      }
      return after
    })
  }
  fc.assert(fc.property(fc.integer(), property), runs)
})

test.each<[string, SessionState, EventDraft[], (state: SessionState) => unknown]>([
  ['lanes, at the end of a run nobody waited in', streaming, [finish()], ({ pending }) => pending.lanes],
  ['calls and requests, at the end of a run without any', streaming, [finish()], ({ pending }) => pending.requests],
  ['lanes, at the start of a run', folded([]), [runStart], ({ pending }) => pending.lanes],
  ['usage, at the start of the first run', folded([]), [runStart], ({ usage }) => usage],
  ['pending, for a message from elsewhere', streaming, [said('u')], ({ pending }) => pending],
  ['pending calls, for an input', answering, [input('i', 'steer')], ({ pending }) => pending.calls],
  ['the other lane, for an input', answering, [input('i', 'steer')], ({ pending }) => pending.lanes.queue],
])('unchanged by reference: %s', (_what, state, drafts, slice) => {
  expect(slice(folded(drafts, state))).toBe(slice(state))
})

test('the calls of a reply are folded in time that grows with their number', () => {
  const ids = Array.from({ length: 10_000 }, (_, i) => `call-${i}`)
  const events = ids.flatMap((callId): EventDraft[] => [
    { type: 'tool-call', runId, callId, toolName: 'read', input: {} },
    { type: 'tool-start', runId, callId, toolName: 'read', effect: 'write' },
    result(callId),
  ])
  const before = folded([reply(...ids.map(call))], streaming)
  const { pending, live } = folded(events, before)
  expect([Object.keys(before.pending.calls).length, pending.calls, live.calls]).toEqual([ids.length, {}, {}])
}, 15_000)
