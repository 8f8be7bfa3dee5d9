import { expect, it } from 'vitest'
import type { AgentEvent } from '../protocol/events.ts'
import { OpenTurn } from './open-turn.ts'

const at = 0
const runId = 'r'
const model = { provider: 'p', model: 'm', api: 'a' }

function text(seq: number, from: number, added: string): AgentEvent {
  return { type: 'text-delta', seq, at, runId, part: 0, from, text: added }
}

function turnOf(events: readonly AgentEvent[], prev = 0): OpenTurn {
  const turn = new OpenTurn()
  let last = prev
  for (const event of events) {
    turn.add({ prev: last, head: event.seq, events: [event] })
    last = event.seq
  }
  return turn
}

it('merges deltas that adjoin and keeps those that do not', () => {
  const turn = turnOf([text(1, 0, 'He'), text(2, 2, 'llo'), text(3, 9, 'gap')])
  expect(turn.above(0)).toEqual({ prev: 0, head: 3, events: [text(2, 0, 'Hello'), text(3, 9, 'gap')] })
})

it('merges the output of each call for whoever comes, only above what they have', () => {
  const output = (seq: number, callId: string, added: string): AgentEvent => ({
    type: 'tool-output',
    seq,
    at,
    callId,
    text: added,
  })
  const turn = turnOf([output(1, 'a', '1'), output(2, 'b', 'x'), output(3, 'a', '2'), output(4, 'a', '3')])
  expect(turn.above(1)?.events).toEqual([output(2, 'b', 'x'), output(4, 'a', '23')])
})

it('lets go of what came before a turn, an assistant message and a finish', () => {
  const start: AgentEvent = {
    type: 'turn-start',
    seq: 3,
    at,
    runId,
    turn: 1,
    attempt: 1,
    messageId: 'm',
    purpose: 'reply',
    model,
  }
  const message: AgentEvent = { type: 'message', seq: 5, at, message: { role: 'assistant', id: 'm', at, parts: [] } }
  expect(turnOf([text(2, 0, 'old'), start, text(4, 0, 'new')]).above(0)).toEqual({
    prev: 2,
    head: 4,
    events: [start, text(4, 0, 'new')],
  })
  expect(turnOf([start, text(4, 0, 'new'), message]).above(4)).toEqual({ prev: 5, head: 5, events: [] })
})

it('starts again where it missed something, and holds nothing back for a heartbeat', () => {
  const turn = turnOf([text(1, 0, 'a')])
  turn.add({ prev: 1, head: 1, events: [] })
  expect(turn.above(0)?.events).toHaveLength(1)
  turn.add({ prev: 8, head: 9, events: [text(9, 5, 'b')] })
  expect(turn.above(0)).toEqual({ prev: 8, head: 9, events: [text(9, 5, 'b')] })
})

it('stays small however long a turn lasts', () => {
  const turn = new OpenTurn()
  for (let seq = 1; seq <= 20_000; seq++) {
    const event: AgentEvent = seq % 2 ? { type: 'activity', seq, at } : text(seq, seq * 10, 'x')
    turn.add({ prev: seq - 1, head: seq, events: [event] })
  }
  const held = turn.above(0)
  expect(held?.events.length).toBeLessThanOrEqual(4_000)
  expect(held?.events.at(-1)?.seq).toBe(20_000)
  expect(held?.prev).toBeLessThan(held?.events[0]?.seq ?? 0)
  expect(held?.prev).toBeGreaterThan(10_000)
})
