import { afterEach, describe, expect, it } from 'vitest'
import { clientWorld, closeAll, gate, quiet, until } from '../../../test/fixtures/client-world.ts'
import type { AgentEvent } from '../../protocol/events.ts'
import { reduce } from '../../protocol/reduce.ts'
import { initialState } from '../../protocol/state.ts'
import { collect, storedEvents, types } from '../../testing/agent-world.ts'
import { defineTool } from '../../tools/define-tool.ts'

afterEach(closeAll)

const RUN = ['input', 'run-start', 'message', 'turn-start', 'text-delta', 'message', 'usage', 'finish']

async function take(events: AsyncIterable<AgentEvent>, isLast: (event: AgentEvent) => boolean): Promise<AgentEvent[]> {
  const taken: AgentEvent[] = []
  for await (const event of events) {
    taken.push(event)
    if (isLast(event)) break
  }
  return taken
}

it('shows what a running tool printed before it was looked at, and goes on with it', async () => {
  const held = gate()
  const check = defineTool({
    name: 'check',
    description: 'Checks.',
    input: { type: 'object' },
    async execute(_input, { output }) {
      output('one\n', { done: 1, total: 2 })
      await held.wait()
      output('two\n', { done: 2, total: 2 })
      await held.wait()
    },
  })
  const { agent, connect } = clientWorld([{ calls: [{ name: 'check', input: {} }] }, 'Done.'], {
    agent: { tools: [check] },
  })
  const run = (await agent.session('s')).run('Go')
  await take(run, ({ type }) => type === 'tool-output')
  const session = connect().session('s')
  session.subscribe(() => {})
  await session.ready
  const shown = () => Object.values(session.state.live.calls)
  expect(shown()).toMatchObject([{ running: true, output: 'one\n', progress: { done: 1, total: 2 } }])
  held.open()
  await run.result
  await until(() => session.state.lastFinish !== undefined)
  expect(shown()).toEqual([])
})

describe('a run', () => {
  it('gives its events and its result over the shared connection alone', async () => {
    const { client, server } = clientWorld(['Hello there.'])
    const run = client.session('s').run('Hi')
    expect(types(await collect(run))).toEqual(RUN)
    expect(await run.result).toMatchObject({ runId: run.id, reason: 'stop', text: 'Hello there.', recorded: true })
    expect(server.streams.filter((request) => request.includes('?after='))).toEqual([])
  })

  it('gives one each to whoever asks for all of them at once', async () => {
    const { client } = clientWorld(['Hello.'])
    const events = client.session('s').run('Hi')[Symbol.asyncIterator]()
    const asked = await Promise.all(Array.from({ length: RUN.length + 2 }, () => events.next()))
    expect(asked.map(({ value }) => value?.type)).toEqual([...RUN, undefined, undefined])
  })

  it('gives them again, from the log, to whoever asks later', async () => {
    const { client } = clientWorld(['One.', 'Two.'])
    const session = client.session('s')
    const first = session.run('1')
    await first.result
    await session.run('2').result
    expect(types(await collect(first))).toEqual(RUN)
  })

  it('is found in the log by a client that did not see it begin', async () => {
    const { client, connect } = clientWorld(['One.', 'Two.'])
    const run = client.session('s').run('1')
    await run.result
    await client.session('s').run('2').result
    const found = connect().session('s').follow(run.id)
    expect(await found.result).toEqual(await run.result)
    expect(types(await collect(found))).toEqual(RUN)
  })

  it('is followed by its receipt without a search', async () => {
    const { client, server } = clientWorld(['One.', 'Two.'])
    const session = client.session('s')
    await session.run('1').result
    const { runId = '' } = await session.send('2')
    expect((await session.follow(runId).result).text).toBe('Two.')
    expect(server.streams.some((request) => request.includes('?after=0'))).toBe(false)
  })

  it('that is open is followed from its beginning, not from that of the log', async () => {
    const { open: go, wait } = gate()
    const { client, connect, server } = clientWorld(['One.', { text: 'Two.', before: wait }])
    const session = client.session('s')
    await session.run('1').result
    const run = session.run('2')
    await until(() => session.state.status === 'running')
    const found = connect().session('s').follow(run.id)
    const events = collect(found)
    await until(() => server.streams.some((request) => request.includes('?after=')))
    go()
    expect(await found.result).toEqual(await run.result)
    expect(types(await events)).toEqual(RUN)
    expect(server.streams.some((request) => request.includes('?after=0'))).toBe(false)
  })

  it('that never was is an error', async () => {
    const { client } = clientWorld(['One.'])
    const session = client.session('s')
    await session.run('1').result
    const run = session.follow('run_none')
    expect(await run.result).toMatchObject({ reason: 'error', error: { code: 'session.unknown-run' }, recorded: false })
    expect(await collect(run)).toEqual([])
    await expect(run.text()).rejects.toMatchObject({ code: 'session.unknown-run' })
  })

  it('ends with its result also when its end was in what the session skipped', async () => {
    const { open: go, wait } = gate()
    const { client, server, agent } = clientWorld([{ text: 'Long.', before: wait }])
    const session = client.session('s')
    const run = session.run('Hi')
    await until(() => session.state.status === 'running')
    server.alter = () => []
    go()
    const local = await agent.session('s')
    await local.follow(run.id).result
    await quiet()
    server.alter = (batch) => [batch]
    server.say({ session: 's', resync: true, head: local.state.seq })
    expect(await run.result).toMatchObject({ reason: 'stop', text: 'Long.', recorded: true })
  })

  it('goes on when its connection is cut, and ends with its result', async () => {
    const { open: go, wait } = gate()
    const { client, server, clock } = clientWorld([{ text: 'Long.', beforeEnd: wait }])
    const session = client.session('s')
    const run = session.run('Hi')
    const events = collect(run)
    await until(() => session.state.pending.message !== undefined)
    server.cut()
    go()
    await until(() => session.connection.status === 'reconnecting')
    clock.advance(500)
    expect(await run.text()).toBe('Long.')
    expect(types(await events)).toEqual(RUN)
  })

  it('shows a fault of the store', async () => {
    const { open: fail, wait } = gate()
    const world = clientWorld([{ text: 'Lost.', before: wait }])
    const session = world.client.session('s')
    const run = session.run('Hi')
    await until(() => session.state.status === 'running')
    const { seq } = session.state
    world.server.say({
      session: 's',
      prev: seq,
      head: seq,
      events: [],
      fault: { code: 'store.full', message: 'Full', retryable: false },
    })
    expect(await run.result).toMatchObject({ reason: 'error', error: { code: 'store.full' }, recorded: false })
    expect(session.state.live.fault?.code).toBe('store.full')
    fail()
  })
})

describe('events', () => {
  it('begin in the log and go on with what comes, over one more connection until they have caught up', async () => {
    const { client, connect, store, server } = clientWorld(['One.', 'Two.'])
    await client.session('s').run('1').result
    const session = connect().session('s')
    const isSecondEnd = (finishes: number) => (event: AgentEvent) => event.type === 'finish' && --finishes === 0
    const reading = take(session.events(), isSecondEnd(2))
    await until(() => session.connection.status === 'live')
    await quiet()
    await session.run('2').result
    const events = await reading
    const stored = await storedEvents(store)
    expect(reduce(initialState('s'), events)).toEqual(reduce(initialState('s'), stored))
    expect(types(events)).toEqual(types(stored))
    await until(() => server.open <= 2)
  })

  it('begin above any seq', async () => {
    const { client, store } = clientWorld(['One.', 'Two.'])
    const session = client.session('s')
    await session.run('1').result
    const seen = session.state.seq
    await session.run('2').result
    const events = await take(session.events({ after: seen }), ({ type }) => type === 'finish')
    expect(types(events)).toEqual(RUN)
    expect(events[0]?.seq).toBe((await storedEvents(store)).find(({ seq }) => seq > seen)?.seq)
  })

  it('wait for no reader: what a slow one missed is merged, and nothing is lost', async () => {
    const words = Array.from({ length: 3_000 }, (_, i) => [{ type: 'text', part: 0, text: `${i} ` }] as const)
    const usage = { inputTokens: 1, outputTokens: 1 }
    const { client, local } = await (async () => {
      const world = clientWorld([[...words, [{ type: 'done', stop: 'stop', usage }]]])
      const session = world.client.session('s')
      await session.ready
      return { ...world, local: session }
    })()
    const reader = local.events({ after: local.state.seq })[Symbol.asyncIterator]()
    await local.run('Go').result
    let state = { ...initialState('s'), seq: 1 }
    let read = 0
    while (state.lastFinish === undefined) {
      const { value } = await reader.next()
      state = reduce(state, [value])
      read++
    }
    expect(state.history).toEqual(local.state.history)
    expect(read).toBeLessThan(10_000)
    await client.close()
  })

  it('end when the server has another log under the id', async () => {
    const { client, server } = clientWorld(['One.'])
    const session = client.session('s')
    await session.run('1').result
    const reading = collect(session.events({ after: session.state.seq })).catch((thrown: unknown) => thrown)
    await until(() => session.connection.status === 'live')
    await quiet()
    server.interrupt = ({ method, url }) =>
      method === 'GET' && url.endsWith('/s') ? Response.json({ state: { ...initialState('s'), seq: 1 } }) : undefined
    server.say({ session: 's', resync: true, head: 1 })
    expect(await reading).toMatchObject({ code: 'session.not-found', message: expect.stringContaining('another log') })
    expect(session.state).toMatchObject({ seq: 1, history: [] })
  })

  it('end with their signal, and with the handle', async () => {
    const { client } = clientWorld(['One.'])
    const session = client.session('s')
    await session.run('1').result
    const leave = new AbortController()
    const first = collect(session.events({ signal: leave.signal }))
    const second = collect(session.events({ after: session.state.seq }))
    await quiet()
    leave.abort()
    expect((await first).length).toBeGreaterThan(5)
    await session.close()
    expect(await second).toEqual([])
  })
})

describe('settled', () => {
  it('tells what became of an input', async () => {
    const { open: go, wait } = gate()
    const { client, connect } = clientWorld([{ text: 'One.', before: wait }, 'Two.'])
    const session = client.session('s')
    const run = session.run('1')
    await until(() => session.state.status === 'running')
    const queued = await session.send('2', { mode: 'queue' })
    const removed = await session.send('3', { mode: 'queue' })
    const settled = session.settled(queued.inputId ?? '')
    await session.changeInput(removed.inputId ?? '', { remove: true })
    expect(await session.settled(removed.inputId ?? '')).toMatchObject({ status: 'returned' })
    go()
    await run.result
    expect(await settled).toEqual({ inputId: queued.inputId, status: 'absorbed', runId: `run_${queued.inputId}` })
    const other = connect().session('s')
    expect(await other.settled(removed.inputId ?? '')).toMatchObject({ status: 'returned' })
    expect(await other.settled(queued.inputId ?? '')).toMatchObject({ status: 'absorbed' })
    await expect(other.settled('in_none')).rejects.toMatchObject({ code: 'input.unknown', name: 'InputError' })
  })
})

describe('the window of history', () => {
  it('is what the server gives, and grows backwards', async () => {
    const { client, agent } = clientWorld([])
    const messages = Array.from({ length: 650 }, (_, i) => ({
      role: 'user' as const,
      id: `m${i}`,
      at: i,
      parts: [{ type: 'text' as const, text: `${i}` }],
    }))
    await agent.session('long', { history: messages })
    const session = client.session('long', { create: false })
    await session.ready
    expect(session.state.history.map(({ id }) => id)).toEqual(messages.slice(450).map(({ id }) => id))
    expect(session.hasBefore).toBe(true)
    const told: number[] = []
    session.subscribe(({ history }) => told.push(history.length))
    await Promise.all([session.loadBefore(100), session.loadBefore(100)])
    expect(session.state.history[0]?.id).toBe('m350')
    // More than a server gives at once.
    await session.loadBefore(1_000)
    expect(session.state.history).toEqual((await agent.session('long')).state.history)
    expect(session.hasBefore).toBe(false)
    await session.loadBefore(10)
    expect(told).toEqual([300, 500, 650])
  })
})
