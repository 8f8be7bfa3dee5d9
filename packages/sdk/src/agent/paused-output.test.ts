import { expect, test } from 'vitest'
import { agentWorld } from '../testing/agent-world.ts'

const output = { type: 'object', properties: { degrees: { type: 'number' } }, required: ['degrees'] } as const

test('structured output that goes on after a pause is read as a whole', async () => {
  const world = agentWorld([{ text: 'Looked. {"degr', stop: 'pause' }, { text: 'ees":', stop: 'pause' }, '4}'])
  const session = await world.session()
  expect(await session.run('How warm?', { output }).result).toMatchObject({ reason: 'stop', output: { degrees: 4 } })
})

test('what was said before the pause does not spoil output that is whole behind it', async () => {
  const world = agentWorld([{ text: 'Looking for {places}. ', stop: 'pause' }, '{"degrees":4}'])
  const session = await world.session()
  expect(await session.run('How warm?', { output }).result).toMatchObject({ reason: 'stop', output: { degrees: 4 } })
})
