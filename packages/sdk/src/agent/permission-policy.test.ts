import { describe, expect, test } from 'vitest'
import type { PermissionPolicy } from '../protocol/permissions.ts'
import { agentWorld, results, stateWhere } from '../testing/agent-world.ts'
import { defineTool } from '../tools/define-tool.ts'

const isWaiting = (state: { status: string }): boolean => state.status === 'waiting'

describe('a permission policy', () => {
  const asking: PermissionPolicy & { remembered: string[] } = {
    remembered: [],
    decide: ({ toolName }) => ({
      verdict: toolName === 'deny' ? 'deny' : toolName === 'ask' ? 'ask' : 'allow',
      by: 'rule',
      reason: 'The rule says so.',
      rule: toolName,
      ...(toolName === 'ask' && { suggestedRule: 'ask(*)' }),
    }),
    remember(call, exit) {
      this.remembered.push(`${call.toolName} ${exit}`)
    },
  }
  const tool = (name: string) =>
    defineTool({ name, description: name, input: { type: 'object' }, effect: 'read', execute: () => `${name} ran` })

  test('denies, asks and allows; an answer for longer is remembered', async () => {
    const calls = [{ name: 'deny' }, { name: 'ask' }, { name: 'allow' }]
    const tools = [tool('deny'), tool('ask'), tool('allow')]
    const world = agentWorld([{ calls }, 'Done.'], { tools, permissions: asking })
    const session = await world.session()
    const run = session.run('Go')
    const { pending } = await stateWhere(session, isWaiting)
    expect(pending.requests).toMatchObject([
      { options: ['allow-once', 'allow-session', 'allow-always', 'deny'], suggestedRule: 'ask(*)' },
    ])
    await session.resolve('req_call_2', 'allow-session')
    await run.result
    expect(asking.remembered).toEqual(['ask allow-session'])
    expect(results(session.state)).toMatchObject([
      { outcome: 'denied', metadata: { permission: { by: 'rule', rule: 'deny', operations: [] } } },
      { outcome: 'ok', output: 'ask ran' },
      { outcome: 'ok', output: 'allow ran' },
    ])
  })

  test('is not asked about an input that does not fit', async () => {
    const decided: unknown[] = []
    const policy: PermissionPolicy = {
      decide: (call) => {
        decided.push(call)
        return { verdict: 'deny', by: 'level', reason: 'never' }
      },
    }
    const input = { type: 'object', properties: { amount: { type: 'number' } } } as const
    const pay = defineTool({ name: 'pay', description: 'Pays.', input, execute: () => 'paid' })
    const world = agentWorld([{ calls: [{ name: 'pay', input: { amount: 'x' } }] }, 'Sorry.'], {
      tools: [pay],
      permissions: policy,
    })
    const session = await world.session()
    await session.run('Pay').result
    expect(decided).toEqual([])
    expect(results(session.state)).toMatchObject([{ outcome: 'error', code: 'tool.invalid-input' }])
  })
})
