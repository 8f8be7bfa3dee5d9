import { expect, test } from 'vitest'
import { reduce } from '../src/protocol/reduce.ts'
import { initialState } from '../src/protocol/state.ts'
import { storedEvents } from '../src/testing/agent-world.ts'
import { brokenPromises } from '../src/testing/promises.ts'
import { step } from './fixtures/random-people.ts'
import { LAST_WORDS, RandomSession } from './fixtures/random-sessions.ts'
// Loaded when a call first needs them: here before, so that the same seed is the same history.
import '../src/agent/hooks.ts'
import '../src/agent/rare.ts'
import '../src/tools/json-validator.ts'
import '../src/tools/rare.ts'

const HISTORIES = process.env.STEPWELL_DEEP ? 10_000 : 1_000
const A_TEST = 250
const STEPS = 40

async function history(world: RandomSession): Promise<void> {
  await world.open()
  for (let i = 0; i < STEPS; i++) await step(world)
  await world.calmDown()
  expect(await world.lastRun()).toMatchObject({ reason: 'stop', text: LAST_WORDS, recorded: true })

  const log = await storedEvents(world.store)
  expect(brokenPromises(log)).toEqual([])
  const state = reduce(initialState('s'), log)
  for (const node of world.living) {
    expect([...node.asked]).toEqual([])
    const { live: _live, ...shown } = node.session.state
    expect({ ...shown, live: state.live }).toEqual(state)
  }
  expect(await world.store.commands('s')).toEqual([])
  const ended = new Set(
    log.flatMap((event) => {
      if (event.type === 'input-returned') return [event.inputId]
      return event.type === 'message' && event.message.role === 'user' ? [event.message.id] : []
    }),
  )
  const waiting = new Set([...state.pending.lanes.steer, ...state.pending.lanes.queue].map(({ id }) => id))
  for (const { inputId, status } of world.receipts) {
    if (inputId !== undefined) expect([inputId, status, ended.has(inputId) !== waiting.has(inputId)]).toContain(true)
  }
  const writes = world.effects.filter((effect) => effect.startsWith('write'))
  expect(new Set(writes).size).toBe(writes.length)
  await world.close()
  expect(world.living.map(({ clock }) => clock.pending)).toEqual(world.living.map(() => 0))
}

const only = Number(process.env.STEPWELL_SEED)
const firsts = only > 0 ? [only] : Array.from({ length: HISTORIES / A_TEST }, (_, i) => 1 + i * A_TEST)

test.each(firsts)(
  'a session keeps its promises whatever happens to it: seeds from %i',
  async (first) => {
    for (let seed = first; seed < first + (only > 0 ? 1 : A_TEST); seed++) {
      const world = new RandomSession(seed)
      try {
        await history(world)
      } catch (thrown) {
        throw new Error(`STEPWELL_SEED=${seed} replays it.\n${world.script.join('\n')}\n${thrown}`, { cause: thrown })
      }
    }
  },
  120_000,
)
