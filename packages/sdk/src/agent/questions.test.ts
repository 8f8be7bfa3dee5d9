import { describe, expect, test } from 'vitest'
import type { Question } from '../protocol/requests.ts'
import { agentWorld, results, stateWhere } from '../testing/agent-world.ts'
import { askUser } from '../tools/ask-user.ts'
import { defineTool } from '../tools/define-tool.ts'

const isWaiting = (state: { status: string }): boolean => state.status === 'waiting'

const colour: Question = {
  id: 'colour',
  header: 'Colour',
  question: 'Which colour?',
  options: [{ label: 'red' }, { label: 'blue' }],
}
const size: Question = { ...colour, id: 'size', header: 'Size', question: 'Which size?' }

describe('a question', () => {
  test('of the model is answered by the person, in part or whole', async () => {
    const calls = [{ name: 'ask_user', input: { questions: [colour, size] as never } }]
    const world = agentWorld([{ calls }, 'Fine.'], { tools: [askUser()] })
    const session = await world.session()
    const run = session.run('Paint')
    await stateWhere(session, isWaiting)
    const bad = [{ answers: { taste: ['red'] } }, { answers: { colour: 'red' } }, { answers: { colour: ['a', 'b'] } }]
    for (const answer of bad) {
      expect((await session.resolve('req_call_1', answer as never)).error?.code).toBe('request.invalid-answer')
    }
    await session.resolve('req_call_1', { answers: { colour: ['red'] } })
    await run.result
    expect(results(session.state)).toMatchObject([
      { outcome: 'ok', output: { answers: { colour: ['red'] }, skipped: true } },
    ])
  })

  test('of a running tool keeps the run awake, and its answer goes to the tool', async () => {
    const paint = defineTool({
      name: 'paint',
      description: 'Paints.',
      input: { type: 'object' },
      execute: async (_input, ctx) => {
        const first = await ctx.ask([colour])
        const second = await ctx.ask([size])
        return { first, second }
      },
    })
    const world = agentWorld([{ calls: [{ name: 'paint' }] }, 'Fine.'], { tools: [paint] })
    const session = await world.session()
    const run = session.run('Paint')
    await stateWhere(session, ({ pending }) => pending.requests[0]?.id === 'req_call_1_1')
    await session.resolve('req_call_1_1', { answers: { colour: ['blue'] } })
    await stateWhere(session, ({ pending }) => pending.requests[0]?.id === 'req_call_1_2')
    await session.resolve('req_call_1_2', { skipped: true })
    await run.result
    expect(results(session.state)).toMatchObject([
      {
        output: {
          first: { answers: { colour: ['blue'] }, skipped: false },
          second: { answers: {}, skipped: true },
        },
      },
    ])
  })
})
