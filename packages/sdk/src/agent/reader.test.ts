import { expect, test } from 'vitest'
import { agentWorld, storedEvents } from '../testing/agent-world.ts'

test('events that are asked for all at once come one each, in their order', async () => {
  const { agent, session, store } = agentWorld(['Yes.'])
  const run = (await session()).run('Really?')
  const events = run[Symbol.asyncIterator]()
  const asked = await Promise.all(Array.from({ length: 20 }, () => events.next()))
  const seqs = asked.flatMap(({ value }) => (value === undefined ? [] : [value.seq]))
  expect(asked.at(-1)).toEqual({ value: undefined, done: true })
  expect(seqs).toEqual(seqs.toSorted((a, b) => a - b))
  expect(seqs.at(-1)).toBe((await storedEvents(store)).at(-1)?.seq)
  expect(new Set(seqs).size).toBe(seqs.length)
  await agent.close()
})

test.each([0, 1, 2, 3, 4, 5])('nothing comes after return(), %i ticks into the first read', async (ticks) => {
  const { agent, session } = agentWorld(['Yes.'])
  const opened = await session()
  await opened.run('Really?').result
  const events = opened.events()[Symbol.asyncIterator]()
  const asked = events.next()
  for (let tick = 0; tick < ticks; tick++) await Promise.resolve()
  await events.return?.()
  expect((await asked).done).toBe(true)
  expect((await events.next()).done).toBe(true)
  await agent.close()
})
