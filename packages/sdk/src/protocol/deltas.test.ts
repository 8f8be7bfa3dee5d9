import fc from 'fast-check'
import { expect, test } from 'vitest'
import { folded } from '../testing/folded.ts'
import { chances, randomStep } from '../testing/random-steps.ts'
import { mergeAdjoining, mergeDelta } from './deltas.ts'
import { type AgentEvent, type DeltaEvent, isDelta } from './events.ts'
import { reduce } from './reduce.ts'
import { initialState } from './state.ts'

const text = (seq: number, from: number, added: string, part = 0): DeltaEvent => ({
  type: 'text-delta',
  seq,
  at: seq,
  part,
  from,
  text: added,
})

test('two that adjoin become one under the later seq', () => {
  expect(mergeDelta(text(4, 2, 'lo'), text(5, 4, '!'))).toEqual({ ...text(5, 2, 'lo!') })
})

test('a gap, an overlap, another part or another kind stays apart', () => {
  const last = text(4, 2, 'lo')
  expect(mergeDelta(last, text(5, 5, '!'))).toBeUndefined()
  expect(mergeDelta(last, text(5, 3, '!'))).toBeUndefined()
  expect(mergeDelta(last, text(5, 4, '!', 1))).toBeUndefined()
  expect(mergeDelta(last, { ...text(5, 4, '!'), type: 'reasoning-delta' })).toBeUndefined()
  expect(mergeDelta(undefined, last)).toBeUndefined()
})

test('a tool name survives, whichever delta brought it', () => {
  const call = { type: 'tool-input-delta', part: 0, callId: 'c', at: 1 } as const
  const opened: DeltaEvent = { ...call, seq: 1, from: 0, text: '', toolName: 'read' }
  const grown: DeltaEvent = { ...call, seq: 2, from: 0, text: '{}' }
  expect(mergeDelta(opened, grown)).toMatchObject({ toolName: 'read', text: '{}', seq: 2 })
  const named: DeltaEvent = { ...call, seq: 3, from: 2, text: '', toolName: 'read' }
  expect(mergeDelta({ ...grown }, named)).toMatchObject({ toolName: 'read', text: '{}', seq: 3 })
})

test('parts that grow in turns keep their order', () => {
  const deltas = [text(1, 0, 'a'), text(2, 1, 'b'), text(3, 0, 'x', 1), text(4, 2, 'c'), text(5, 3, 'd')]
  expect(mergeAdjoining(deltas)).toEqual([text(2, 0, 'ab'), text(3, 0, 'x', 1), text(5, 2, 'cd')])
})

test('merging any run of deltas shows the same reply, to whoever saw any part of it', () => {
  const property = (seed: number, seen: number) => {
    const choose = chances(seed)
    let ids = 0
    const mint = (prefix: string) => `${prefix}-${++ids}`
    let state = folded([
      { type: 'session-created', v: 1 },
      { type: 'run-start', runId: 'r', trigger: 'continue', inputIds: [], config: {} },
      {
        type: 'turn-start',
        runId: 'r',
        turn: 1,
        attempt: 1,
        messageId: 'm',
        purpose: 'reply',
        model: { provider: 'p', model: 'm', api: 'a' },
      },
    ])
    const begun = state
    const deltas: DeltaEvent[] = []
    while (deltas.length < 30) {
      for (const draft of randomStep(state, choose, mint)) {
        const event: AgentEvent = { ...draft, seq: state.seq + 1, at: 0 }
        if (!isDelta(event)) continue
        deltas.push(event)
        state = reduce(state, [event])
      }
      if (state.pending.message?.parts.length === 6) break
    }
    const reader = reduce(begun, deltas.slice(0, seen % (deltas.length + 1)))
    expect(reduce(reader, mergeAdjoining(deltas))).toEqual(state)
    expect(mergeAdjoining(mergeAdjoining(deltas))).toEqual(mergeAdjoining(deltas))
  }
  fc.assert(fc.property(fc.integer(), fc.nat(), property), { seed: 3, numRuns: 300 })
})

test('nothing to merge is nothing', () => {
  expect(mergeAdjoining([])).toEqual([])
  expect(reduce(initialState('s'), mergeAdjoining([]))).toEqual(initialState('s'))
})
