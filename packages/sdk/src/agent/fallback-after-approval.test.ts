import { expect, test } from 'vitest'
import { agentWorld, stateWhere } from '../testing/agent-world.ts'
import { providerFailure, scriptedModel } from '../testing/scripted-model.ts'
import { defineTool } from '../tools/define-tool.ts'

const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  input: { type: 'object' },
  needsApproval: true,
  execute: () => 'paid',
})

test('a run that waited for a person stays with the fallback it had come to', async () => {
  const large = scriptedModel([{ error: providerFailure('provider.quota') }], { model: 'large' })
  const spare = scriptedModel([{ calls: [{ name: 'pay' }] }, 'Paid.'], { model: 'spare' })
  const world = agentWorld([], { model: large, fallbacks: [spare], tools: [pay] })
  const session = await world.session()
  const run = session.run('Pay.')
  const { pending } = await stateWhere(session, ({ status }) => status === 'waiting')
  await session.resolve(pending.requests[0]?.id ?? '', 'allow-once')
  expect(await run.result).toMatchObject({ reason: 'stop', text: 'Paid.' })
  expect(session.state.lastFinish?.model).toBe('spare')
  spare.assertDone()

  // The next run begins with the first model again.
  await session.run('Again.').result
  expect(large.requests).toHaveLength(2)
})
