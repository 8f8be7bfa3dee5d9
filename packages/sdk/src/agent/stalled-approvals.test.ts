import { expect, test } from 'vitest'
import { agentWorld } from '../testing/agent-world.ts'
import { defineTool } from '../tools/define-tool.ts'

test('a run whose calls are denied again and again has stalled, also since it was parked in between', async () => {
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    input: { type: 'object' },
    needsApproval: true,
    execute: () => 'paid',
  })
  const world = agentWorld(
    Array.from({ length: 4 }, () => ({ calls: [{ name: 'pay' }] })),
    { tools: [pay], maxRepeats: 3 },
  )
  const session = await world.session()
  const run = session.run('Pay.')
  for await (const event of run) {
    if (event.type === 'request') void session.resolve(event.request.id, 'deny')
  }
  expect(await run.result).toMatchObject({ reason: 'stalled' })
  expect(world.model.requests).toHaveLength(3)
})
