import { expect, test } from 'vitest'
import { memoryStore } from '../stores/memory.ts'
import { agentWorld, stateWhere, storedEvents } from '../testing/agent-world.ts'
import { manualClock } from '../testing/manual-clock.ts'
import { microtasks } from '../testing/microtasks.ts'
import { brokenPromises } from '../testing/promises.ts'
import type { ScriptedStep } from '../testing/scripted-model.ts'

const ENDLESS: ScriptedStep = { text: 'A', beforeEnd: () => new Promise(() => {}) }

/** A process sleeps in the middle of a run, its lease ends, and another one takes the session over. */
async function takenOver(replies: { readonly sleeping: ScriptedStep[]; readonly awake: ScriptedStep[] }) {
  const wall = manualClock(1_000_000)
  const store = memoryStore({ now: wall.now })
  const sleeping = agentWorld([ENDLESS, ...replies.sleeping], { store })
  const before = await sleeping.session()
  before.run('Go')
  await stateWhere(before, ({ pending }) => (pending.message?.parts.length ?? 0) > 0)
  wall.advance(16_000)
  const clock = manualClock(wall.now())
  const awake = agentWorld(replies.awake, { store, clock, ids: (prefix) => `${prefix}_awake` })
  const after = await awake.session()
  await stateWhere(after, ({ run }) => run === undefined)
  return { store, sleeping, awake, before, after }
}

test('the next command of a process that was displaced works there, where the session is free again', async () => {
  const { store, before } = await takenOver({ sleeping: [{ text: 'Still here.' }], awake: [] })
  expect(await before.run('Still there?').result).toMatchObject({ reason: 'stop', text: 'Still here.', recorded: true })
  expect(brokenPromises(await storedEvents(store))).toEqual([])
})

test('and goes to the process that has it, where it is not', async () => {
  const { sleeping, awake, before, after } = await takenOver({ sleeping: [], awake: [ENDLESS] })
  after.run('Mine')
  await stateWhere(after, ({ pending }) => (pending.message?.parts.length ?? 0) > 0)
  const steered = before.send('Be brief')
  for (const { clock } of [awake, sleeping]) {
    await microtasks()
    clock.advance(500)
  }
  expect(await steered).toMatchObject({ status: 'steered' })
  expect(after.state.pending.lanes.steer).toMatchObject([{ parts: [{ text: 'Be brief' }] }])
})
