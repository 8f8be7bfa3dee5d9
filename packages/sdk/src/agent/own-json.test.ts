import { expect, test } from 'vitest'
import { defineTool, type FileChange, reduce } from '../index.ts'
import { initialState } from '../protocol/state.ts'
import { agentWorld, ofType, results, storedEvents } from '../testing/agent-world.ts'

const input = { type: 'object' } as const

test('what an app changes in its own objects afterwards changes nothing that was said, asked, answered or set', async () => {
  const part = { type: 'text' as const, text: 'Book it.' }
  const metadata = { from: { page: 1 } }
  const description = { title: 'Book a seat' }
  const question = {
    id: 'seat',
    header: 'Seat',
    question: 'Where?',
    options: [{ label: 'Window' }, { label: 'Aisle' }],
  }
  const edited = { decision: 'allow-once' as const, editedInput: { where: { row: 1 } } }
  const answered = { answers: { seat: ['Aisle'] } }
  const book = defineTool({
    name: 'book',
    description: 'Books.',
    input,
    needsApproval: true,
    describeEffect: () => description,
    async execute(given: { where?: { row: number } }, ctx) {
      if (given.where) given.where.row = 2
      const { answers } = await ctx.ask([question])
      Object.assign(answers, { more: ['Food'] })
      return 'Booked.'
    },
  })
  const { agent, session, store } = agentWorld([{ calls: [{ name: 'book' }] }, 'Booked.'], { tools: [book] })
  const opened = await session()
  opened.subscribe(({ pending: { requests } }) => {
    for (const { id, kind } of requests) void opened.resolve(id, kind === 'approval' ? edited : answered)
  })
  await opened.run([part], { metadata }).result
  const patch = { metadata: { tags: ['a'] } }
  await opened.update(patch)

  part.text = 'changed'
  metadata.from.page = 2
  description.title = 'changed'
  question.options.pop()
  edited.editedInput.where.row = 3
  answered.answers.seat.pop()
  patch.metadata.tags.pop()
  const { live: _live, ...replayed } = reduce(initialState('s'), await storedEvents(store))
  expect(opened.state).toMatchObject(JSON.parse(JSON.stringify(replayed)))
  expect(JSON.stringify(opened.state)).not.toContain('changed')
  expect(results(opened.state)[0]?.ranWith).toEqual({ where: { row: 1 } })
  await agent.close()
})

test('a tool may count its progress, and name its files, in one object', async () => {
  const count = defineTool({
    name: 'count',
    description: 'Counts.',
    input,
    execute(_input, ctx) {
      const progress = { done: 0, total: 2 }
      const change = { path: '', kind: 'created' as FileChange['kind'] }
      for (const path of ['a', 'b']) {
        progress.done++
        ctx.output(`${path}\n`, progress)
        change.path = path
        ctx.fileChange(change)
      }
      progress.done = 99
    },
  })
  const { agent, session, store } = agentWorld([{ calls: [{ name: 'count' }] }, 'Done.'], { tools: [count] })
  const opened = await session()
  const shown: unknown[] = []
  opened.subscribe((_state, { events }) => {
    shown.push(...ofType(events, 'tool-output').map(({ progress }) => progress?.done))
  })
  await opened.run('Count.').result
  expect(shown).toEqual([1, 2])
  expect(results(opened.state)[0]?.changes?.map(({ path }) => path)).toEqual(['a', 'b'])
  expect(ofType(await storedEvents(store), 'tool-result')[0]?.result.changes).toHaveLength(2)
  await agent.close()
})

test('an update that no row can have is refused, and the open run goes on', async () => {
  const { agent, session } = agentWorld(['Yes.'])
  const opened = await session()
  const run = opened.run('Really?')
  for (const patch of [{ title: 5 }, { profile: {} }, { metadata: [] }, { archived: 'yes' }]) {
    const receipt = await opened.update(patch as object)
    expect(receipt).toMatchObject({ status: 'refused', error: { code: 'input.invalid' } })
  }
  await opened.update({ title: 'Good', principal: 'somebody else' } as object)
  expect((await run.result).reason).toBe('stop')
  expect(opened.state.row.title).toBe('Good')
  expect(opened.state.row.principal).toBeUndefined()
  await agent.close()
})
