import { expect, test } from 'vitest'
import { agentWorld, ofType, results, storedEvents } from '../testing/agent-world.ts'
import { defineTool } from '../tools/define-tool.ts'

const named = (name: string) =>
  defineTool({ name, description: name, input: { type: 'object' }, effect: 'read', execute: () => `did ${name}` })
const call = (name: string) => ({ calls: [{ name }] })

test('a function gives each run its own list, which holds until the run ends', async () => {
  let list = [named('one')]
  const {
    agent,
    model,
    store,
    session: open,
  } = agentWorld(
    [
      () => {
        list = [named('two')]
        return call('one')
      },
      'First.',
      call('one'),
      call('two'),
      'Second.',
    ],
    { tools: () => list },
  )
  const session = await open()
  await session.run('1').result
  await session.run('2').result

  expect(model.requests.map(({ tools }) => tools.map((tool) => 'name' in tool && tool.name))).toEqual([
    ...[['one'], ['one']],
    ...[['two'], ['two'], ['two']],
  ])
  expect(results(session.state).map(({ outcome, code, output }) => code ?? [outcome, output])).toEqual([
    ['ok', 'did one'],
    'tool.unknown',
    ['ok', 'did two'],
  ])
  const recorded = ofType(await storedEvents(store), 'run-start').map(({ config }) => Object.keys(config.tools ?? {}))
  expect(recorded).toEqual([['one'], ['two']])
  expect(agent.tools).toEqual(list)
})

test.each([
  [
    'throws',
    () => {
      throw new Error('down')
    },
    'down',
  ],
  ['gives no list', () => [{ name: 'wrong' }] as never, 'tools has to be a list'],
  ['gives one name twice', () => [named('one'), named('one')], 'Two tools are called "one"'],
])('a run whose list cannot be used ends with the reason: the function %s', async (_how, tools, message) => {
  const { session: open } = agentWorld(['Never said.'], { tools })
  const session = await open()
  const { reason, error } = await session.run('1').result
  expect(reason).toBe('error')
  expect(error?.message).toContain(message)
})
