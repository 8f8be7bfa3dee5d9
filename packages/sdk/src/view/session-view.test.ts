import { expect, test } from 'vitest'
import { initialState } from '../protocol/state.ts'
import { agentWorld } from '../testing/agent-world.ts'
import { answering, asked, call, reply, result, said, streaming } from '../testing/drafts.ts'
import { fakeSession } from '../testing/fake-session.ts'
import { microtasks } from '../testing/microtasks.ts'
import { watched } from '../testing/watched-view.ts'
import { createSessionView } from './session-view.ts'

test('a snapshot shares with the one before what did not change, and never changes itself', () => {
  const session = fakeSession(answering)
  const view = createSessionView(session)
  view.subscribe(() => {})
  session.emit(asked('q', 'c1'), said('u'))
  const before = view.getSnapshot()
  const { messages } = before
  session.emit(result('c2'))
  const after = view.getSnapshot()
  expect(after.messages[1]).toBe(messages[1])
  expect(after.messages[0]).not.toBe(messages[0])
  const shared = [
    'messageIds',
    'requests',
    'queue',
    'outbox',
    'connection',
    'tasks',
    'notices',
    'usage',
    'older',
  ] as const
  for (const key of shared) expect(after[key]).toBe(before[key])
  expect(before.messages).toBe(messages)
})

test('the list of an old snapshot that is read late is the old list', () => {
  const session = fakeSession(streaming)
  const view = createSessionView(session)
  view.subscribe(() => {})
  const before = view.getSnapshot()
  session.emit(reply(call('c1')), said('u'))
  expect(view.getSnapshot().messages.map(({ id }) => id)).toEqual(['m', 'u'])
  expect(before.messages.map(({ id, status }) => [id, status])).toEqual([['m', 'streaming']])
})

test('the server snapshot stays what the view was made with', () => {
  const session = fakeSession(streaming)
  const view = createSessionView(session)
  const first = view.getServerSnapshot()
  expect(first).toBe(view.getSnapshot())
  view.subscribe(() => {})
  session.emit(said('u'))
  expect(view.getServerSnapshot()).toBe(first)
  expect(first.messageIds).toEqual(['m'])
})

test('a local session is live; one that cannot be opened has failed, and says why', async () => {
  const view = createSessionView(fakeSession())
  expect(view.getSnapshot().connection).toEqual({ status: 'live' })

  const ready = Promise.reject(new Error('No such session'))
  const closed = createSessionView({ ...fakeSession(), state: initialState('s'), ready })
  const told = watched(closed, 'connection')
  await microtasks()
  expect(closed.getSnapshot().connection).toMatchObject({ status: 'failed', error: { message: 'No such session' } })
  expect(told).toEqual(['connection'])
})

test('a view of a session whose agent was closed keeps what it shows, and what is sent fails with its text', async () => {
  const { agent, session: open } = agentWorld(['Hello.'])
  const session = await open()
  const view = createSessionView(session)
  view.subscribe(() => {})
  await session.run('Hi').result
  await agent.close()
  const receipt = await view.send('Still there?')
  expect(receipt.error?.code).toBe('session.closed')
  const { messages, outbox } = view.getSnapshot()
  expect(messages.map(({ status }) => status)).toEqual(['committed', 'committed', 'failed'])
  expect(outbox[0]).toMatchObject({ status: 'failed', input: 'Still there?', error: { code: 'session.closed' } })
})
