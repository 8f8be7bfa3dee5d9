import { describe, expect, it } from 'vitest'
import { SessionError } from '../protocol/errors.ts'
import { initialState } from '../protocol/state.ts'
import { agentWorld, collect, types } from '../testing/agent-world.ts'
import { fakeRemote, fakeSession } from '../testing/fake-session.ts'
import { microtasks } from '../testing/microtasks.ts'
import { deferredSession } from './deferred-session.ts'
import { preloadSession } from './preload.ts'
import { cellsOf } from './session-cells.ts'
import { createSessionView } from './session-view.ts'

const user = (id: string) => ({ role: 'user' as const, id, at: 1, parts: [{ type: 'text' as const, text: id }] })
const stateOf = (...ids: string[]) => ({ ...initialState('s'), seq: ids.length, history: ids.map(user) })

describe('deferredSession', () => {
  it('is opened once, by the first that subscribes', async () => {
    const inner = fakeSession(stateOf('a'))
    let opened = 0
    const open = () => {
      opened++
      return inner
    }
    const session = deferredSession({ id: 's', open })
    expect([session.id, session.state.seq, session.connection?.status, opened]).toEqual(['s', 0, 'connecting', 0])
    let told = 0
    session.subscribe(() => told++)
    session.subscribe(() => told++)
    await session.ready
    expect([session.state.history.length, session.connection?.status, opened]).toEqual([1, 'live', 1])
    inner.emit({ type: 'session-updated', title: 'A' })
    expect(told).toBe(2)
  })

  it('keeps nobody at the session who left before it was open', async () => {
    const inner = fakeSession(stateOf())
    const session = deferredSession({ id: 's', open: () => inner })
    session.subscribe(() => {})()
    await session.ready
    expect(inner.followers).toBe(0)
  })

  it('shows a preload until the session is there', async () => {
    const preload = JSON.parse(JSON.stringify(preloadSession(fakeSession(stateOf('a', 'b', 'c')), { messages: 2 })))
    const inner = fakeSession(stateOf('a', 'b', 'c', 'd'))
    const view = createSessionView(deferredSession({ id: 's', open: () => inner, preload }))
    expect([view.getSnapshot().messageIds, view.getSnapshot().older.more]).toEqual([['b', 'c'], true])
    view.subscribe(() => {})
    expect(view.getSnapshot().messageIds).toEqual(['b', 'c'])
    await microtasks()
    expect(view.getSnapshot().messageIds.at(-1)).toBe('d')
    expect(view.getServerSnapshot().messageIds).toEqual(['b', 'c'])
  })

  it('shows the session in place of a preload as soon as anything is known of it, though its first reading failed', async () => {
    const inner = fakeRemote(stateOf())
    const ready = Promise.reject(new Error('offline'))
    const preload = preloadSession(fakeSession(stateOf('a')))
    const session = deferredSession({
      id: 's',
      open: () => Object.defineProperty(inner, 'ready', { value: ready }),
      preload,
    })
    const view = createSessionView(session)
    view.subscribe(() => {})
    await microtasks()
    expect(view.getSnapshot().messageIds).toEqual(['a'])
    inner.show(stateOf('a', 'b'), { prev: 2, head: 2, events: [] })
    expect(view.getSnapshot().messageIds).toEqual(['a', 'b'])
  })

  it('shows what a tool of the preload was printing', () => {
    const calls = { c: { toolName: 'check', running: true, output: 'one' } }
    const preload = preloadSession(fakeSession({ ...stateOf('a'), live: { calls, tasks: {} } }))
    const view = createSessionView(deferredSession({ id: 's', open: () => fakeSession(stateOf('a')), preload }))
    expect(cellsOf(view).getCall('c')?.live?.output).toBe('one')
  })

  it('makes a session that has no id with its first command, not before', async () => {
    const { agent } = agentWorld(['Hello.'])
    const session = deferredSession({ open: () => agent.session() })
    session.subscribe(() => {})
    expect([session.id, (await agent.sessions()).items]).toEqual(['', []])
    const run = session.run('Hi')
    const events = await collect(run)
    expect(types(events).at(-1)).toBe('finish')
    expect(events.at(-1)?.runId).toBe(run.id)
    expect((await agent.sessions()).items.map(({ id }) => id)).toEqual([session.id])
  })

  it('gives commands to the session in the order of the calls, runs too', async () => {
    const order: string[] = []
    const inner = fakeSession(stateOf('a'))
    const { send } = inner
    inner.send = (...args) => {
      order.push('send')
      return send(...args)
    }
    inner.run = (...args) => {
      order.push(String(args[0]))
      return { id: `run_${args[1]?.commandId}`, result: new Promise(() => {}) } as never
    }
    const session = deferredSession({ id: 's', open: () => inner })
    await session.ready
    void session.send('One')
    session.run('Two')
    await microtasks()
    expect(order).toEqual(['send', 'Two'])
  })

  it('takes the id of the run that was started: what goes on may be an input that waits', async () => {
    const inner = fakeSession(stateOf('a'))
    inner.continue = () => ({ id: 'run_of-the-input', result: Promise.resolve({}) }) as never
    const session = deferredSession({ id: 's', open: () => inner, ids: () => 'cmd_1' })
    const run = session.continue()
    expect(run.id).toBe('run_cmd_1')
    await run.result
    expect(run.id).toBe('run_of-the-input')
  })

  it('says why it could not be opened, and tries again with the next command', async () => {
    const inner = fakeSession(stateOf())
    let isThere = false
    const session = deferredSession({
      id: 's',
      open: async () => {
        if (!isThere) throw new SessionError('session.not-found', 'There is none.')
        return inner
      },
    })
    const view = createSessionView(session)
    view.subscribe(() => {})
    await microtasks()
    expect(view.getSnapshot().connection).toMatchObject({ status: 'failed', error: { code: 'session.not-found' } })
    const run = session.run('Hi')
    expect(await run.result).toMatchObject({ runId: run.id, reason: 'error', recorded: false })
    isThere = true
    void view.send('Hello')
    await microtasks()
    expect(view.getSnapshot().connection.status).toBe('live')
    expect(inner.asked.map(({ command }) => command)).toEqual(['send'])
  })
})
