import { expect, test } from 'vitest'
import { wordList } from '../guards/compliance.ts'
import { agentWorld, results, stateWhere } from '../testing/agent-world.ts'
import { defineTool } from '../tools/define-tool.ts'

const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  input: { type: 'object' },
  needsApproval: true,
  execute: () => 'paid',
})

async function asked(action: 'mask' | 'block') {
  const world = agentWorld([{ calls: [{ name: 'pay' }] }, 'Well.'], {
    tools: [pay],
    compliance: wordList({ words: ['allow', 'deny', 'once'], action }),
  })
  const session = await world.session()
  const run = session.run('Pay.')
  const { pending } = await stateWhere(session, ({ status }) => status === 'waiting')
  return { session, run, id: pending.requests[0]?.id ?? '' }
}

test('words of the policy in the name of a decision do not take the decision away', async () => {
  for (const action of ['mask', 'block'] as const) {
    const { session, run, id } = await asked(action)
    expect(await session.resolve(id, 'allow-once')).toMatchObject({ status: 'done' })
    expect((await run.result).reason).toBe('stop')
    expect(results(session.state)).toMatchObject([{ outcome: 'ok', output: 'paid' }])
  }
})

test('the note beside it is screened all the same', async () => {
  const masked = await asked('mask')
  await masked.session.resolve(masked.id, { decision: 'deny', note: 'I deny it.' })
  await masked.run.result
  expect(results(masked.session.state)).toMatchObject([{ outcome: 'denied', output: expect.stringContaining('I •••') }])

  const blocked = await asked('block')
  const receipt = await blocked.session.resolve(blocked.id, { decision: 'deny', note: 'I deny it.' })
  expect(receipt).toMatchObject({ status: 'refused', error: { code: 'compliance.blocked' } })
  expect(blocked.session.state.pending.requests).toHaveLength(1)
})
