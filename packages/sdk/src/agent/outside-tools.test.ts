import { describe, expect, test } from 'vitest'
import { agentWorld, results, stateWhere } from '../testing/agent-world.ts'
import { defineTool } from '../tools/define-tool.ts'
import { submitPlan } from '../tools/submit-plan.ts'

const isWaiting = (state: { status: string }): boolean => state.status === 'waiting'

describe('a plan', () => {
  test.each([
    ['approve', undefined, 'ok'],
    ['revise', 'shorter', 'ok'],
    ['reject', 'no', 'denied'],
  ] as const)('takes %s', async (decision, note, outcome) => {
    const world = agentWorld([{ calls: [{ name: 'submit_plan', input: { plan: '1. Think' } }] }, 'Fine.'], {
      tools: [submitPlan()],
    })
    const session = await world.session()
    const run = session.run('Plan')
    await stateWhere(session, isWaiting)
    expect((await session.resolve('req_call_1', 'revise')).error?.code).toBe('request.invalid-answer')
    await session.resolve('req_call_1', { decision, ...(note && { note }) })
    await run.result
    expect(results(session.state)).toMatchObject([{ outcome }])
  })
})

describe('a client tool', () => {
  test('gets its result from outside', async () => {
    const where = defineTool({
      name: 'where',
      description: 'Where the person is.',
      input: { type: 'object' },
      effect: 'read',
    })
    const world = agentWorld([{ calls: [{ name: 'where' }, { name: 'where' }] }, 'There.'], { tools: [where] })
    const session = await world.session()
    const run = session.run('Where am I?')
    await stateWhere(session, isWaiting)
    expect((await session.resolve('req_call_1', 'allow-once')).error?.code).toBe('request.invalid-answer')
    await session.resolve('req_call_1', { output: { city: 'Oslo' } })
    await session.resolve('req_call_2', { error: 'The person refused.' })
    await run.result
    expect(results(session.state)).toMatchObject([
      { outcome: 'ok', output: { city: 'Oslo' } },
      { outcome: 'error', output: 'It failed: The person refused.' },
    ])
  })
})
