import { expect, test } from 'vitest'
import { permissions } from '../permissions/permissions.ts'
import type { Plugin } from '../plugins/plugin.ts'
import { agentWorld, ofType, results, storedEvents } from '../testing/agent-world.ts'
import { defineTool } from '../tools/define-tool.ts'

const named = (name: string, more: Partial<Plugin> = {}): Plugin => ({ name, ...more })
const search = defineTool({
  name: 'search',
  description: 'Searches.',
  input: { type: 'object' },
  execute: () => 'found',
})
const callSearch = { calls: [{ name: 'search' }] }

test('hooks are called by priority, equal ones in the order they were added', async () => {
  const called: string[] = []
  const says = (name: string, priority?: number) =>
    named(name, { ...(priority !== undefined && { priority }), hooks: { 'turn:before': () => void called.push(name) } })
  const world = agentWorld(['One.', 'Two.'], { plugins: [says('a'), says('low', -1), says('b'), says('high', 5)] })
  const session = await world.session()
  await session.run('Go').result
  expect(called).toEqual(['high', 'a', 'b', 'low'])

  called.length = 0
  world.agent.use(says('middle', 1))
  await session.run('Go').result
  expect(called).toEqual(['high', 'middle', 'a', 'b', 'low'])
})

test('tools and instructions of plugins are part of what a run begins with, and of its record', async () => {
  const world = agentWorld([callSearch, 'Done.'], {
    instructions: 'Be brief.',
    context: () => ({ user: 'Ada' }),
    plugins: [
      named('docs', { tools: [search], instructions: 'Search first.' }),
      named('who', { instructions: (context) => `You talk to ${(context as { user: string }).user}.` }),
    ],
  })
  const session = await world.session()
  await session.run('Go').result
  expect(results(session.state)).toMatchObject([{ toolName: 'search', output: 'found' }])
  const instructions = 'Be brief.\n\nSearch first.\n\nYou talk to Ada.'
  expect(world.model.requests[0]).toMatchObject({ instructions, tools: [{ name: 'search' }] })
  const [start] = ofType(await storedEvents(world.store), 'run-start')
  expect(start?.config).toMatchObject({ instructions, tools: { search: expect.any(String) } })
})

test('removing a plugin takes away all it brought; an open run keeps what it began with, but not the hooks', async () => {
  const called: number[] = []
  const world = agentWorld([callSearch, 'Done.', callSearch, 'Done.'], {
    permissions: permissions({ rules: { allow: ['search'] } }),
  })
  const remove = world.agent.use(
    named('docs', {
      tools: [search],
      instructions: 'Search first.',
      permissions: { deny: ['search'] },
      hooks: {
        'turn:before': async ({ turn }) => {
          called.push(turn)
          await remove()
          return undefined
        },
      },
    }),
  )
  const session = await world.session()
  await session.run('Go').result
  expect(called).toEqual([1])
  expect(results(session.state)).toMatchObject([{ outcome: 'denied', metadata: { permission: { rule: 'search' } } }])

  await session.run('Again').result
  expect(world.model.requests[2]?.tools).toEqual([])
  expect(world.model.requests[2]).not.toHaveProperty('instructions')
  expect(results(session.state)[1]).toMatchObject({ outcome: 'error', code: 'tool.unknown' })
  await remove()
})

test('rules of plugins count like those of the policy itself: one that denies outweighs all others', async () => {
  const world = agentWorld([callSearch, 'Done.'], {
    tools: [search],
    permissions: permissions({ rules: { deny: ['search'] } }),
    plugins: [named('generous', { permissions: { allow: ['search'] } })],
  })
  const session = await world.session()
  await session.run('Go').result
  expect(results(session.state)).toMatchObject([{ outcome: 'denied' }])

  const allowed = agentWorld([callSearch, 'Done.'], {
    tools: [search],
    permissions: permissions(),
    plugins: [named('generous', { permissions: { allow: ['search'] } })],
  })
  const other = await allowed.session()
  await other.run('Go').result
  expect(results(other.state)).toMatchObject([{ outcome: 'ok' }])
})

test('what cannot work is refused when the plugin is added, and nothing of it is', () => {
  const { agent } = agentWorld([], { tools: [search], permissions: permissions(), plugins: [named('first')] })
  const code = (plugin: unknown): unknown => {
    try {
      agent.use(plugin as Plugin)
    } catch (thrown) {
      return (thrown as { code: string }).code
    }
    return 'accepted'
  }
  expect(code({})).toBe('config.invalid')
  expect(code(named('first'))).toBe('config.invalid')
  expect(code({ name: 'a', tools: [{}] })).toBe('config.invalid')
  expect(code(named('a', { tools: [search] }))).toBe('tool.duplicate-name')
  expect(code(named('a', { permissions: { deny: ['search('] } }))).toBe('config.invalid')
  expect(code(named('a'))).toBe('accepted')
  expect(() => agentWorld([], { plugins: [named('a', { permissions: { deny: ['x'] } })] })).toThrow('permission rules')
})

test.each([
  ['a hook that does not exist', { hooks: { 'tools:before': () => ({ block: 'no' }) } }, '"tools:before"'],
  ['a hook that is no function', { hooks: { stop: 'please' } }, '"stop"'],
  ['a time that no timer has', { timeoutMs: -1 }, 'timeoutMs'],
  ['a priority that is no number', { priority: Number.NaN }, 'priority'],
])('%s ends the run with the reason: what it was to keep from happening does not happen', async (_what, more, told) => {
  const world = agentWorld([], { plugins: [{ name: 'wrong', ...more } as Plugin] })
  const { reason, error } = await (await world.session()).run('Go').result
  expect([reason, error?.code]).toEqual(['error', 'config.invalid'])
  expect(error?.message).toContain(told)
  expect(world.model.requests).toEqual([])
})

test('a plugin whose instructions fail ends the run with the reason', async () => {
  const world = agentWorld([], {
    plugins: [
      named('broken', {
        instructions: () => {
          throw new Error('no template')
        },
      }),
    ],
  })
  const { reason, error } = await (await world.session()).run('Go').result
  expect([reason, error?.code]).toEqual(['error', 'config.invalid'])
  expect(error?.message).toContain('no template')
})
