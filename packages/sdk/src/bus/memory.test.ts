import { expect, it } from 'vitest'
import type { EventBatch } from '../protocol/events.ts'
import { makeSeq } from '../protocol/seq.ts'
import { busConformance } from '../testing/bus-conformance.ts'
import { memoryBus } from './memory.ts'

for (const { name, run } of busConformance({ name: 'memory', open: memoryBus })) it(name, run)

it('gives a subscriber what is held before it returns', () => {
  const bus = memoryBus()
  bus.publish('s', { prev: 1, head: 3, events: [{ type: 'text-delta', seq: 3, at: 0, part: 0, from: 0, text: 'hi' }] })
  const batches: EventBatch[] = []
  bus.subscribe('s', 1, (batch) => batches.push(batch))
  expect(batches).toEqual([
    { prev: 1, head: 3, events: [{ type: 'text-delta', seq: 3, at: 0, part: 0, from: 0, text: 'hi' }] },
  ])
})

it('forgets quiet sessions before those that are followed or in the middle of a turn', () => {
  const bus = memoryBus()
  const seen: number[] = []
  bus.subscribe('followed', 0, (batch) => seen.push(batch.head))
  const model = { provider: 'p', model: 'm', api: 'a' }
  const start = {
    type: 'turn-start',
    seq: 2,
    at: 0,
    runId: 'r',
    turn: 1,
    attempt: 1,
    messageId: 'm',
    purpose: 'reply',
    model,
  } as const
  bus.publish('open', { prev: 1, head: 2, events: [start] })
  for (let i = 0; i < 30_000; i++) bus.publish(`quiet-${i}`, { prev: 1, head: makeSeq(1, 1), events: [] })
  bus.publish('followed', { prev: 1, head: 5, events: [] })
  expect(seen).toEqual([5])
  const held: EventBatch[] = []
  bus.subscribe('open', 1, (batch) => held.push(batch))
  expect(held).toEqual([{ prev: 1, head: 2, events: [start] }])
})
