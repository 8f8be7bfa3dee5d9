import { expect, test } from 'vitest'
import { memoryStore } from '../stores/memory.ts'
import type { SessionStore } from '../stores/store.ts'
import { agentWorld } from '../testing/agent-world.ts'
import { manualClock } from '../testing/manual-clock.ts'
import { microtasks } from '../testing/microtasks.ts'

test('a process that follows many sessions of others asks the store one question a second', async () => {
  const clock = manualClock(1_000_000)
  const store = memoryStore({ now: clock.now })
  const asked: (readonly string[])[] = []
  const counting: SessionStore = {
    ...store,
    heads(ids) {
      asked.push(ids)
      return store.heads(ids)
    },
  }
  const writer = agentWorld([{ text: 'News.' }], { store, clock })
  const reader = agentWorld([], { store: counting, clock, ids: (prefix) => `${prefix}_reader` })
  const ids = ['a', 'b', 'c']
  const followed = await Promise.all(ids.map((id) => reader.session(id)))
  const leave = followed.map((session) => session.subscribe(() => {}))
  const source = await writer.session('b')
  await source.run('Go').result

  clock.advance(1_000)
  await microtasks()
  expect(asked).toEqual([ids])
  expect(followed.map(({ state }) => state.history.length)).toEqual([0, 2, 0])

  leave[0]?.()
  clock.advance(1_000)
  await microtasks()
  expect(asked[1]).toEqual(['b', 'c'])

  for (const unsubscribe of leave) unsubscribe()
  clock.advance(5_000)
  await microtasks()
  expect(asked).toHaveLength(2)
})
