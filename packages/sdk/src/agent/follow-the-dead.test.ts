import { expect, test } from 'vitest'
import { memoryStore } from '../stores/memory.ts'
import { agentWorld, stateWhere, storedEvents } from '../testing/agent-world.ts'
import { manualClock } from '../testing/manual-clock.ts'
import { microtasks } from '../testing/microtasks.ts'
import { life, mortalStore } from '../testing/mortal.ts'
import { brokenPromises } from '../testing/promises.ts'

test('who follows a run whose owner dies ends it when the lease is over, and not before', async () => {
  const clock = manualClock(1_000_000)
  const store = memoryStore({ now: clock.now })
  const owner = life(1_000)
  const dying = agentWorld([{ text: 'A', beforeEnd: () => new Promise(() => {}) }], {
    store: mortalStore(store, owner),
  })
  const session = await dying.session()
  const { id } = session.run('Go')
  await stateWhere(session, ({ pending }) => (pending.message?.parts.length ?? 0) > 0)
  const follower = await agentWorld([], { store, clock, ids: (prefix) => `${prefix}_follower` }).session()
  const { result } = follower.follow(id)
  while (owner.step());
  for (let second = 0; second < 14; second++) {
    clock.advance(1_000)
    await microtasks()
  }
  expect(follower.state.run?.id).toBe(id)
  const ended = stateWhere(follower, ({ run }) => run === undefined)
  for (let second = 0; second < 10; second++) {
    clock.advance(1_000)
    await microtasks()
  }
  await ended
  expect(await result).toMatchObject({ reason: 'interrupted', recorded: true })
  expect(brokenPromises(await storedEvents(store))).toEqual([])
})
