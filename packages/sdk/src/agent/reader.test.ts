import { expect, test } from 'vitest'
import { isDelta } from '../protocol/events.ts'
import type { ModelEvent } from '../providers/provider.ts'
import { agentWorld, storedEvents } from '../testing/agent-world.ts'
import { hold } from '../testing/recording-server.ts'
import { scriptedModel } from '../testing/scripted-model.ts'

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

test('a reader that fell behind in the middle of a text is told the rest of it, and nothing twice', async () => {
  const more = hold()
  const model = scriptedModel([])
  async function* stream(): AsyncGenerator<readonly ModelEvent[]> {
    yield [{ type: 'text', part: 0, text: 'Hello' }]
    await more.opened
    yield [{ type: 'text', part: 0, text: ', world.' }]
    // More than is kept for a reader, and nothing of it can be merged.
    for (let i = 0; i < 4_500; i++) {
      yield [
        { type: 'text', part: 1, text: `${i} ` },
        { type: 'reasoning', part: 2, text: `${i}; ` },
      ]
    }
    yield [{ type: 'done', stop: 'stop' }]
  }
  const { agent, session } = agentWorld([], { model: { ...model, stream } })
  const opened = await session()
  const run = opened.run('Talk.')
  const read = ['', '', '']
  const events = run[Symbol.asyncIterator]()
  for (;;) {
    const { value } = await events.next()
    if (value === undefined) break
    if (!isDelta(value)) continue
    expect(value.from).toBe(read[value.part]?.length)
    read[value.part] += value.text
    if (read[0] !== 'Hello') continue
    more.open()
    await run.result
  }
  expect(read[0]).toBe('Hello, world.')
  expect(read[1]?.split(' ').length).toBe(4_501)
  await agent.close()
})
