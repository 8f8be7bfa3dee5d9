import { afterEach, describe, expect, it } from 'vitest'
import { clientWorld, closeAll, quiet, until } from '../../../test/fixtures/client-world.ts'
import { makeSeq } from '../../protocol/seq.ts'
import { collect } from '../../testing/agent-world.ts'

afterEach(closeAll)

/** A session with one finished run that somebody listens to. */
async function listening() {
  const world = clientWorld(['One.', 'Two.', 'Three.'])
  const session = world.client.session('s')
  await session.run('First').result
  const local = await world.agent.session('s')
  const seen: number[] = []
  session.subscribe((_state, { events }) => seen.push(...events.map(({ seq }) => seq)))
  await until(() => session.connection.status === 'live')
  const caughtUp = () => until(() => session.state.seq === local.state.seq)
  return { ...world, session, local, seen, caughtUp }
}

describe('the shared connection', () => {
  it('is one for all sessions, handles and consumers of a client', async () => {
    const { client, server } = clientWorld([])
    const sessions = ['a', 'b', 'a', 'a'].map((id) => client.session(id))
    for (const session of sessions) session.subscribe(() => {})
    sessions[0]?.subscribe(() => {})
    await until(() => sessions.every(({ connection }) => connection.status === 'live'))
    await quiet()
    expect(server.open).toBe(1)
    expect(server.streams.at(-1)).toMatch(/\/events\?s=a:1&s=b:1$|\/events\?s=b:1&s=a:1$/)
    expect(server.requests.filter((request) => request === 'GET /api/sessions/a')).toHaveLength(2)
  })

  it('is joined by a second one for more sessions than a stream takes', async () => {
    const { client, server } = clientWorld([])
    const sessions = Array.from({ length: 101 }, (_, i) => client.session(`s${i}`))
    for (const session of sessions) session.subscribe(() => {})
    await until(() => sessions.every(({ connection }) => connection.status === 'live'))
    expect(server.open).toBe(2)
  })

  it('is not made for a handle that nobody listens to', async () => {
    const { client, server } = clientWorld([])
    const session = client.session('s')
    await session.ready
    await quiet()
    expect(server.streams).toEqual([])
    expect(session.connection.status).toBe('connecting')
  })

  it('is released a while after the last consumer, and kept for one who comes back', async () => {
    const { session, server, clock } = await listening()
    await session.close()
    clock.advance(999)
    const unsubscribe = session.subscribe(() => {})
    clock.advance(5_000)
    await quiet()
    expect(server.open).toBe(1)
    unsubscribe()
    clock.advance(1_000)
    await until(() => server.open === 0)
  })

  it('goes on where it was after a release', async () => {
    const { session, local, server, clock, client } = await listening()
    const asked = server.streams.length
    await session.close()
    clock.advance(1_000)
    await until(() => server.open === 0)
    await local.run('Meanwhile').result
    const again = client.session('s')
    again.subscribe(() => {})
    await until(() => again.state.seq === local.state.seq)
    expect(server.streams.slice(asked)).toHaveLength(1)
    expect(again.state.history).toEqual(local.state.history)
  })

  it('comes back after a cut in the middle of a frame, with nothing lost and nothing twice', async () => {
    const { session, local, server, clock, seen, caughtUp } = await listening()
    server.cut()
    await until(() => session.connection.status === 'reconnecting')
    expect(session.connection).toMatchObject({ attempt: 1, retryAt: 5_000_500, error: { code: 'wire.unreachable' } })
    await local.run('Unseen').result
    clock.advance(500)
    await caughtUp()
    expect(session.connection).toEqual({ status: 'live' })
    expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b))
    expect({ ...session.state, live: {} }).toEqual({ ...local.state, live: {} })
  })

  it('waits longer after every failure, and not at all once the device is back', async () => {
    const { session, server, clock, device } = await listening()
    server.interrupt = () => new TypeError('fetch failed')
    server.cut()
    const waits: number[] = []
    for (let attempt = 1; attempt <= 9; attempt++) {
      await until(() => session.connection.retryAt !== undefined && session.connection.attempt === attempt)
      waits.push((session.connection.retryAt ?? 0) - clock.now())
      clock.advance(waits.at(-1) ?? 0)
    }
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
    device.online = false
    await until(() => session.connection.attempt === 10 && session.connection.retryAt !== undefined)
    expect(session.connection.status).toBe('offline')
    server.interrupt = () => undefined
    device.online = true
    device.wake()
    await until(() => session.connection.status === 'live')
  })

  it('is made again after two and a half heartbeats of silence', async () => {
    const { session, server, clock, local, caughtUp } = await listening()
    const before = server.streams.length
    for (let i = 0; i < 3; i++) {
      clock.advance(30_000)
      server.say({ session: 's', prev: session.state.seq, head: session.state.seq, events: [] })
      await quiet()
    }
    expect(server.streams.length).toBe(before)
    clock.advance(37_500)
    await until(() => server.streams.length === before + 1)
    await local.run('On').result
    await caughtUp()
    expect(session.connection.status).toBe('live')
  })

  it('is made again at once when a page wakes up after a silence', async () => {
    const { server, clock, device } = await listening()
    const before = server.streams.length
    device.wake()
    await quiet()
    expect(server.streams.length).toBe(before)
    clock.advance(20_000)
    device.wake()
    await until(() => server.streams.length === before + 1)
  })

  it('fills a hole from where it was', async () => {
    const { session, local, server, clock, caughtUp } = await listening()
    const at = session.state.seq
    let dropped = 0
    server.alter = (batch) => (dropped++ < 2 ? [] : [batch])
    await local.run('Lossy').result
    await until(() => session.connection.status === 'reconnecting')
    clock.advance(500)
    await caughtUp()
    expect(server.streams.at(-1)).toContain(`s=s:${at}`)
    expect({ ...session.state, live: {} }).toEqual({ ...local.state, live: {} })
  })

  it('notices by a heartbeat that the last batch was lost', async () => {
    const { session, local, server, clock, caughtUp } = await listening()
    server.alter = () => []
    await local.run('Lost').result
    await quiet()
    server.alter = (batch) => [batch]
    server.say({ session: 's', prev: local.state.seq, head: local.state.seq, events: [] })
    await until(() => session.connection.status === 'reconnecting')
    clock.advance(500)
    await caughtUp()
  })

  it('ignores what comes twice, and a stale owner', async () => {
    const { session, local, server, seen, caughtUp } = await listening()
    const stale = {
      prev: 0,
      head: makeSeq(1, 999),
      events: [{ type: 'notice', seq: makeSeq(1, 999), at: 0, code: 'old', text: '' }],
    }
    server.alter = (batch) => [batch, batch, { ...batch, prev: 0 }, stale]
    await local.run('Twice').result
    await caughtUp()
    await quiet()
    expect(session.connection.status).toBe('live')
    expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b))
    expect(session.state.notices).toEqual([])
    expect({ ...session.state, live: {} }).toEqual({ ...local.state, live: {} })
  })

  it('takes a head above the last event for its place', async () => {
    const { session, server } = await listening()
    const before = server.streams.length
    const { seq } = session.state
    server.say({ session: 's', prev: seq, head: seq + 10, events: [] })
    server.say({
      session: 's',
      prev: seq + 10,
      head: seq + 11,
      events: [{ type: 'notice', seq: seq + 11, at: 0, code: 'x', text: '' }],
    })
    await until(() => session.state.seq === seq + 11)
    expect(server.streams.length).toBe(before)
  })

  it('reads the session anew when it is told to', async () => {
    const { session, local, server } = await listening()
    server.alter = () => []
    await local.run('Too much').result
    await quiet()
    server.say({ session: 's', resync: true, head: local.state.seq })
    await until(() => session.state.seq === local.state.seq)
    expect({ ...session.state, live: {} }).toEqual({ ...local.state, live: {} })
    expect(session.connection.status).toBe('live')
  })

  it('comes back when the server wants it to', async () => {
    const { session, server, clock } = await listening()
    const before = server.streams.length
    server.say({ reconnect: 3_000 })
    await until(() => session.connection.status === 'reconnecting')
    clock.advance(2_999)
    await quiet()
    expect(server.streams.length).toBe(before)
    clock.advance(1)
    await until(() => session.connection.status === 'live')
  })

  it('makes one session fail that is gone, and no other', async () => {
    const { client, agent } = clientWorld([])
    const [gone, other] = [client.session('gone'), client.session('other')]
    const reading = collect(gone.events())
    other.subscribe(() => {})
    await until(() => other.connection.status === 'live' && gone.connection.status === 'live')
    await agent.delete('gone')
    await client.session('third').ready
    client.session('third').subscribe(() => {})
    await expect(reading).rejects.toMatchObject({ code: 'session.not-found', name: 'SessionError' })
    expect(gone.connection).toMatchObject({ status: 'failed', error: { code: 'session.not-found' } })
    expect(other.connection.status).toBe('live')
    expect((await gone.run('Anyone?').result).error?.code).toBe('session.not-found')
  })

  it('makes one session fail that is gone as it is read anew, and no other', async () => {
    const { client, agent, server } = clientWorld(['Hello.'])
    const [gone, other] = [client.session('gone'), client.session('other')]
    for (const session of [gone, other]) session.subscribe(() => {})
    await until(() => other.connection.status === 'live' && gone.connection.status === 'live')
    const seen: string[] = []
    other.subscribeConnection(() => seen.push(other.connection.status))
    await agent.delete('gone')
    server.say({ session: 'gone', resync: true, head: 1 })
    await until(() => gone.connection.status === 'failed')
    expect(gone.connection.error?.code).toBe('session.not-found')
    expect(await other.run('Hi').text()).toBe('Hello.')
    expect([seen, other.connection.status]).toEqual([[], 'live'])
  })

  it('stops trying what cannot help, and ends what waits for it, until the device wakes', async () => {
    const { session, server, device, client } = await listening()
    server.interrupt = () =>
      Response.json({ error: { code: 'wire.unauthorized', message: 'Who?', retryable: false } }, { status: 401 })
    const run = client.session('s').follow('run_unknown')
    server.cut()
    await until(() => session.connection.status === 'reconnecting')
    device.wake()
    await until(() => session.connection.status === 'failed')
    expect(await run.result).toMatchObject({ reason: 'error', error: { code: 'wire.unauthorized' }, recorded: false })
    server.interrupt = () => undefined
    device.wake()
    await until(() => session.connection.status === 'live')
  })

  it('tells of every change, once, with an object of its own', async () => {
    const { session, server, clock, client } = await listening()
    const told: string[] = []
    session.subscribeConnection(() => told.push(session.connection.status))
    const same = session.connection
    expect(session.connection).toBe(same)
    server.cut()
    await until(() => session.connection.status === 'reconnecting')
    clock.advance(500)
    await until(() => session.connection.status === 'live')
    await client.close()
    expect(told).toEqual(['reconnecting', 'reconnecting', 'live', 'closed'])
    expect(session.connection.status).toBe('closed')
    expect(server.open).toBe(0)
  })

  it('harms nobody by a listener that throws', async () => {
    const logged: string[] = []
    const { client } = clientWorld(['Hello.'], {
      client: { logger: { log: (_level, message) => logged.push(message) } },
    })
    const session = client.session('s')
    session.subscribe(() => {
      throw new Error('mine')
    })
    const seen: number[] = []
    session.subscribe(({ seq }) => seen.push(seq))
    await session.run('Hi').result
    expect(seen.at(-1)).toBe(session.state.seq)
    expect(logged[0]).toBe('A session listener threw')
  })
})
