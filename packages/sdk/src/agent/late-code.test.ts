import { expect, test, vi } from 'vitest'
import { ProviderError } from '../protocol/errors.ts'
import { agentWorld, stateWhere, storedEvents, types } from '../testing/agent-world.ts'
import { never, tool } from '../testing/tool-call.ts'

// What a browser meets that is offline when it needs the rest of the code.
vi.mock('./rare.ts', () => {
  throw new TypeError('Failed to fetch dynamically imported module')
})

test('a model that fails without a network is told as its own failure, and the next owner writes the end', async () => {
  const fails = () => {
    throw new ProviderError('provider.unreachable', 'The network is down.', { retryable: true })
  }
  const { session: open, store } = agentWorld([{ text: 'never', before: fails }])
  const session = await open()
  const result = await session.run('Go').result
  expect(result).toMatchObject({ reason: 'error', error: { code: 'provider.unreachable' }, recorded: false })
  expect(types(await storedEvents(store)).at(-1)).toBe('turn-start')
  expect(await store.get('s')).toMatchObject({ openRun: expect.any(String) })
})

test('an abort ends the run here all the same', async () => {
  const { session: open, store } = agentWorld([{ text: 'Hello', beforeEnd: () => never() }])
  const session = await open()
  const run = session.run('Go')
  await stateWhere(session, ({ pending }) => (pending.message?.parts.length ?? 0) > 0)
  expect(await session.abort()).toMatchObject({ status: 'done' })
  expect(await run.result).toMatchObject({ reason: 'aborted', text: '', recorded: false })
  expect(types(await storedEvents(store)).at(-1)).toBe('abort')
})

test('what needs none of it goes on', async () => {
  const { session: open } = agentWorld([{ calls: [{ name: 'probe' }] }, 'Done.'], { tools: [tool(() => 'ok')] })
  const session = await open()
  expect(await session.run('Go').text()).toBe('Done.')
})

test('a command that needs it says so', async () => {
  const session = await agentWorld([]).session()
  await expect(session.update({ title: 'Anything' })).rejects.toThrow()
})
