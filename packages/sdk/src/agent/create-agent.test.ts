import { describe, expect, test } from 'vitest'
import { memoryStore } from '../stores/memory.ts'
import { agentWorld, collect, stateWhere, types } from '../testing/agent-world.ts'
import { microtasks } from '../testing/microtasks.ts'
import { hold } from '../testing/recording-server.ts'
import { never } from '../testing/tool-call.ts'
import type { OpenOptions } from './open-options.ts'

const deaf = { text: 'Hello', beforeEnd: () => never() }
const refused = (code: string) => ({ reason: 'error', recorded: false, text: '', error: { code } })

describe('the end of an agent', () => {
  test('waits for open runs, then refuses everything', async () => {
    const gate = hold()
    const { agent, session: open, clock, store } = agentWorld([{ text: 'One.', before: () => gate.opened }])
    const session = await open()
    const run = session.run('1')
    await stateWhere(session, ({ status }) => status === 'running')
    const closing = agent.close()
    gate.open()
    await closing
    expect(await run.result).toMatchObject({ reason: 'stop', recorded: true })
    expect(clock.pending).toBe(0)
    expect(await session.run('2').result).toMatchObject(refused('session.closed'))
    await expect(session.send('2')).rejects.toMatchObject({ code: 'session.closed' })
    await expect(agent.session('s')).rejects.toMatchObject({ code: 'session.closed' })
    await expect(store.get('s')).rejects.toMatchObject({ code: 'store.unavailable' })
    await agent.close()
  })

  test('leaves to the next owner what does not end in time, and tells whoever waits', async () => {
    const inner = memoryStore()
    const store = { ...inner, close: async () => {} }
    const { agent, session: open, clock } = agentWorld([deaf], { store })
    const session = await open()
    const run = session.run('1')
    const reading = collect(run)
    const following = collect(session.events())
    await stateWhere(session, ({ pending }) => pending.message?.parts.length === 1)
    const closing = agent.close({ drainMs: 500 })
    await microtasks()
    clock.advance(500)
    await closing
    expect(await run.result).toMatchObject({ reason: 'error', recorded: false, error: { code: 'session.closed' } })
    expect(types(await reading).at(-1)).toBe('text-delta')
    expect(types(await following).at(-1)).toBe('text-delta')
    expect(clock.pending).toBe(0)
    const next = await agentWorld(['ok'], { store }).session()
    expect(next.state).toMatchObject({ status: 'idle', lastFinish: { reason: 'interrupted' } })
    expect(next.state.history.at(-1)).toMatchObject({ partial: true, parts: [{ text: 'Hello' }] })
  })

  test('delete takes the session away, but not from under a run', async () => {
    const { agent, session: open, store, clock } = agentWorld([deaf, 'ok'])
    const session = await open()
    const events = collect(session.events())
    const run = session.run('1')
    await stateWhere(session, ({ pending }) => pending.message?.parts.length === 1)
    await expect(agent.delete('s')).rejects.toMatchObject({ code: 'session.busy' })
    await session.abort()
    await run.result
    await agent.delete('s')
    expect(await store.get('s')).toBeUndefined()
    expect(types(await events).at(-1)).toBe('finish')
    expect(await session.run('2').result).toMatchObject(refused('session.closed'))
    expect(clock.pending).toBe(0)
    const fresh = await agent.session('s')
    expect([fresh.state.history, await fresh.run('1').text()]).toEqual([[], 'ok'])
    await agent.delete('unknown')
  })
})

test('a session that is looked for and created at once is found or not, and created', async () => {
  const { agent } = agentWorld([])
  const [looked, opened] = await Promise.allSettled([agent.session('s', { create: false }), agent.session('s')])
  expect(looked).toMatchObject({ status: 'rejected', reason: { code: 'session.not-found' } })
  expect(opened).toMatchObject({ status: 'fulfilled', value: { id: 's' } })
  await agent.close()
})

test('what a session is opened with is stored as plain JSON, in every store', async () => {
  const metadata: Record<string, unknown> = { big: 1n, none: undefined }
  metadata.self = metadata
  const { agent, store, session } = agentWorld([])
  await agent.session('s', { title: 'half \ud800', metadata } as OpenOptions)
  const kept = { title: 'half \ufffd', metadata: { self: '[circular]' } }
  expect(await store.get('s')).toMatchObject(kept)
  expect((await session()).state.row).toMatchObject(kept)
  await agent.close()
})

test('whoever closes an agent that is being closed waits as well', async () => {
  const gate = hold()
  const { agent, session } = agentWorld([{ text: 'Hello', beforeEnd: () => gate.opened }])
  const opened = await session()
  const run = opened.run('1')
  await stateWhere(opened, ({ pending }) => pending.message !== undefined)
  const over: string[] = []
  const closed = [agent.close().then(() => over.push('first')), agent.close().then(() => over.push('second'))]
  await microtasks()
  expect(over).toEqual([])
  gate.open()
  expect((await run.result).reason).toBe('stop')
  await Promise.all(closed)
  expect(over).toEqual(['first', 'second'])
})
