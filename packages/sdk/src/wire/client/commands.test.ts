import { afterEach, describe, expect, it } from 'vitest'
import { clientWorld, closeAll, gate, quiet, until } from '../../../test/fixtures/client-world.ts'
import { InputError, SessionError, StoreError } from '../../protocol/errors.ts'
import { stateWhere } from '../../testing/agent-world.ts'
import { createClient } from './client.ts'

afterEach(closeAll)

const refusal = (status: number, code: string, retryable = false) =>
  Response.json({ error: { code, message: 'No.', retryable } }, { status })
const isCommand = ({ url }: Request): boolean => url.endsWith('/commands')

describe('createClient', () => {
  it('needs a url', () => {
    // @ts-expect-error: as from JavaScript
    expect(() => createClient({})).toThrow('createClient needs a url')
  })

  it('gives a handle at once, and creates the session', async () => {
    const { client, store } = clientWorld([])
    const session = client.session('s', { title: 'New' })
    expect(session.state).toMatchObject({ id: 's', seq: 0, history: [] })
    await session.ready
    expect(session.state.row.title).toBe('New')
    expect((await store.get('s'))?.title).toBe('New')
  })

  it('creates nothing when it is told not to', async () => {
    const { client, store } = clientWorld([])
    const session = client.session('s', { create: false })
    await expect(session.ready).rejects.toMatchObject({ code: 'session.not-found' })
    await expect(session.send('Hi')).rejects.toBeInstanceOf(SessionError)
    expect(await session.run('Hi').result).toMatchObject({ reason: 'error', error: { code: 'session.not-found' } })
    expect(await store.get('s')).toBeUndefined()
  })

  it('creates a session for a handle that may, after one that may not', async () => {
    const { client } = clientWorld([])
    const looked = client.session('first', { create: false }).ready
    await expect(looked).rejects.toMatchObject({ code: 'session.not-found' })
    await client.session('first').ready
    // Also while the other one is still looking.
    const looking = client.session('second', { create: false })
    await client.session('second', { title: 'New' }).ready
    expect(looking.state.row.title).toBe('New')
  })

  it('refuses an id that cannot be', () => {
    for (const id of ['', '.', '..']) expect(() => clientWorld([]).client.session(id)).toThrow(SessionError)
  })

  it('lists, creates, forks and deletes', async () => {
    const { client, store, server } = clientWorld(['One.'])
    const session = await client.create({ title: 'First' })
    await session.run('1').result
    const fork = await session.fork({ title: 'Second' })
    expect(fork.state.history).toEqual(session.state.history)
    // As a first page is asked for in a loop.
    // @ts-expect-error: as from a project whose optional properties may be undefined
    const { items } = await client.sessions({ limit: 10, cursor: undefined })
    expect(server.requests.at(-1)).toBe('GET /api/sessions?limit=10')
    expect(items.map(({ title }) => title).sort()).toEqual(['First', 'Second'])
    await client.delete(session.id)
    expect(await store.get(session.id)).toBeUndefined()
    await expect(session.send('Anyone?')).rejects.toMatchObject({ code: 'session.not-found' })
    await client.delete(session.id)
  })

  it('reads a session again that could not be read', async () => {
    const { client, server, clock } = clientWorld([])
    server.interrupt = () => new TypeError('fetch failed')
    const session = client.session('s')
    const failed = session.ready.catch((thrown: unknown) => thrown)
    for (let tries = 1; tries < 6; tries++) {
      await until(() => server.requests.length === tries)
      await quiet()
      clock.advance(60_000)
    }
    expect(await failed).toMatchObject({ code: 'wire.unreachable', retryable: true, name: 'WireError' })
    server.interrupt = () => undefined
    await session.ready
    expect(session.state.seq).toBe(1)
  })

  it('goes on trying to read a session that somebody listens to', async () => {
    const { client, server, device } = clientWorld([])
    server.interrupt = () => new TypeError('fetch failed')
    device.online = false
    const session = client.session('s')
    session.ready.catch(() => {})
    session.subscribe(() => {})
    while (session.connection.status !== 'offline') {
      device.wake()
      await quiet()
    }
    server.interrupt = () => undefined
    device.online = true
    device.wake()
    await until(() => session.connection.status === 'live')
  })

  it('is over when it is closed', async () => {
    const { open: go, wait } = gate()
    const { client, agent } = clientWorld([{ text: 'Late.', before: wait }])
    const session = client.session('s')
    const run = session.run('Hi')
    await until(() => session.state.status === 'running')
    await client.close()
    expect(await run.result).toMatchObject({ reason: 'error', error: { code: 'session.closed' }, recorded: false })
    await expect(session.send('More')).rejects.toMatchObject({ code: 'session.closed' })
    expect(() => client.session('s')).toThrow('closed')
    go()
    const local = await agent.session('s')
    expect((await local.follow(run.id).result).text).toBe('Late.')
  })
})

describe('a command', () => {
  it('is sent without a time and a name, which are the server’s to say', async () => {
    const { client, server } = clientWorld(['One.'])
    const session = client.session('s')
    await session.run('1', { maxTurns: 3, by: 'me', metadata: { a: 1 } }).result
    await session.update({ title: 'T' }, { by: 'me', commandId: 'u1' })
    expect(server.commands).toEqual([
      {
        type: 'input',
        id: expect.stringMatching(/^in_/),
        mode: 'run',
        parts: [{ type: 'text', text: '1' }],
        options: { maxTurns: 3, metadata: { a: 1 } },
      },
      { type: 'update', id: 'u1', row: { title: 'T' } },
    ])
  })

  it('arrives in the order in which it was given', async () => {
    const { client, server } = clientWorld(['One.', 'Two.'])
    const session = client.session('s')
    const parts = [{ type: 'file' as const, mediaType: 'text/plain', bytes: new Uint8Array(3) }]
    const first = session.send([{ type: 'text', text: 'See' }, ...parts])
    const second = session.update({ title: 'Later' })
    const third = session.send('Then', { mode: 'queue' })
    await Promise.all([first, second, third])
    expect(server.commands.map(({ type }) => type)).toEqual(['input', 'update', 'input'])
  })

  it('is carried out once when its answer is lost', async () => {
    const { client, server, clock, agent } = clientWorld(['One.'])
    const session = client.session('s')
    await session.ready
    let lost = 0
    server.lose = (request) => (isCommand(request) && lost++ < 2 ? new TypeError('socket hang up') : undefined)
    const sent = session.send('Once')
    for (let i = 1; i <= 2; i++) {
      await until(() => lost === i)
      await quiet()
      clock.advance(1_000)
    }
    const receipt = await sent
    expect(receipt.status).toBe('started')
    expect(await session.follow(receipt.runId ?? '').text()).toBe('One.')
    expect(server.commands.map(({ id }) => id)).toEqual(Array(3).fill(receipt.inputId))
    expect((await agent.session('s')).state.history).toHaveLength(2)
  })

  it('is given up after six tries, as a result or a rejection', async () => {
    const { client, server, device } = clientWorld([])
    const session = client.session('s')
    await session.ready
    let tries = 0
    server.interrupt = (request) => {
      if (!isCommand(request)) return undefined
      tries++
      return new Response('<html>', { status: 502 })
    }
    const sent = session.send('1').catch((thrown: unknown) => thrown)
    const run = session.run('2')
    while (tries < 12) {
      await quiet()
      device.wake()
    }
    expect(await sent).toMatchObject({ code: 'wire.unreachable', retryable: true })
    expect(await run.result).toMatchObject({ reason: 'error', error: { code: 'wire.unreachable' }, recorded: false })
  })

  it('is not repeated when the server refuses it, and its error has its class', async () => {
    const { client, server } = clientWorld([])
    const session = client.session('s')
    await session.ready
    const refuse = async (response: Response) => {
      server.interrupt = (request) => (isCommand(request) ? response : undefined)
      return session.send('Hi').catch((thrown: unknown) => thrown)
    }
    const before = server.requests.length
    expect(await refuse(refusal(409, 'session.conflict'))).toBeInstanceOf(SessionError)
    expect(await refuse(refusal(413, 'input.too-large'))).toBeInstanceOf(InputError)
    expect(await refuse(refusal(503, 'store.full'))).toBeInstanceOf(StoreError)
    expect(await refuse(refusal(403, 'wire.origin'))).toMatchObject({ code: 'wire.origin', name: 'WireError' })
    expect(await refuse(new Response('Not here', { status: 404 }))).toMatchObject({ code: 'wire.protocol' })
    expect(await refuse(new Response('[]', { headers: { 'content-type': 'application/json' } }))).toBeInstanceOf(Error)
    expect(server.requests.length - before).toBe(6)
  })

  it('is refused as a local one is', async () => {
    const { open: go, wait } = gate()
    const { client } = clientWorld([{ text: 'One.', before: wait }])
    const session = client.session('s')
    const run = session.run('1')
    await until(() => session.state.status === 'running')
    expect(await session.run('2').result).toMatchObject({ reason: 'error', error: { code: 'session.busy' } })
    expect(await session.resolve('req_none', 'allow-once')).toMatchObject({
      status: 'refused',
      error: { code: 'request.unknown' },
    })
    go()
    await run.result
    expect(await session.abort(run.id)).toMatchObject({ status: 'refused' })
    await expect(session.send('')).rejects.toBeInstanceOf(InputError)
    // As from JavaScript.
    for (const none of [[], null, undefined, 5] as unknown[] as string[]) {
      await expect(session.send(none)).rejects.toMatchObject({ code: 'input.empty' })
      expect((await session.run(none).result).error?.code).toBe('input.empty')
    }
  })

  it('starts one run under the id of a caller who repeats himself', async () => {
    const { client, connect } = clientWorld(['One.', 'Two.'])
    const run = client.session('s').run('1', { commandId: 'mine' })
    await run.result
    await client.session('s').run('2').result
    const again = connect().session('s').run('1', { commandId: 'mine' })
    expect(await again.result).toEqual(await run.result)
  })

  it('stops, steers, queues, rewinds and goes on', async () => {
    const { open: go, wait } = gate()
    const { client } = clientWorld([{ text: 'Lo', beforeEnd: wait }, 'Again.'])
    const session = client.session('s')
    const run = session.run('Hi')
    await stateWhere(session, ({ pending }) => pending.message?.parts.length === 1)
    expect(await session.send('More', { mode: 'queue' })).toMatchObject({ status: 'queued' })
    const { returned } = await session.abort(run.id)
    go()
    expect(returned).toMatchObject([{ parts: [{ text: 'More' }], lane: 'queue' }])
    expect(await run.result).toMatchObject({ reason: 'aborted', text: 'Lo' })
    await session.rewind(session.state.history[0]?.id)
    expect(await session.continue().text()).toBe('Again.')
  })

  it('aborts its run with its signal', async () => {
    const { client } = clientWorld([{ text: 'Lo', beforeEnd: () => new Promise(() => {}) }])
    const session = client.session('s')
    const stop = new AbortController()
    const run = session.run('Hi', { signal: stop.signal })
    await stateWhere(session, ({ pending }) => pending.message?.parts.length === 1)
    stop.abort()
    expect((await run.result).reason).toBe('aborted')
    expect((await session.run('Hi', { signal: stop.signal }).result).error?.code).toBe('session.aborted')
  })

  it('uploads bytes first', async () => {
    const { client, store, server } = clientWorld(['Seen.'])
    const session = client.session('s')
    const bytes = new Uint8Array([1, 2, 3])
    await session.run([{ type: 'image', mediaType: 'image/png', bytes, name: 'a.png' }]).result
    const [message] = session.state.history
    const [part] = message?.role === 'user' ? message.parts : []
    expect(part).toMatchObject({ type: 'image', name: 'a.png', blob: { size: 3 } })
    expect(part !== undefined && 'bytes' in part).toBe(false)
    const sha256 = part?.type === 'image' ? (part.blob?.sha256 ?? '') : ''
    expect(await store.blobs.get('s', sha256)).toEqual(bytes)
    const upload = server.requests.findIndex((request) => request.includes('/blobs'))
    expect(server.headers[upload]?.get('content-type')).toBe('image/png')
  })

  it('carries the schema of what its reply has to hold', async () => {
    const { client, server } = clientWorld(['{"n":1}'])
    const schema = { type: 'object', properties: { n: { type: 'number' } } }
    const { output } = await client.session('s').run('Count', { output: schema }).result
    expect(server.commands[0]?.options).toEqual({ output: { schema } })
    expect(output).toBeUndefined()
  })
})

describe('headers', () => {
  it('are read for every request, and once more after a 401', async () => {
    let token = 0
    const { client, server } = clientWorld(['One.'], {
      client: { headers: async () => ({ authorization: `Bearer ${++token}` }) },
    })
    let refused = 0
    server.interrupt = (request) => {
      if (!isCommand(request) || refused++ > 0) return undefined
      return refusal(401, 'wire.unauthorized')
    }
    expect(await client.session('s').run('Hi').text()).toBe('One.')
    const tokens = server.headers.map((headers) => headers.get('authorization'))
    expect(new Set(tokens).size).toBe(tokens.length)
  })

  it('that are refused twice are an error', async () => {
    const { client, server } = clientWorld([], { client: { headers: () => ({ authorization: 'Bearer old' }) } })
    const session = client.session('s')
    await session.ready
    server.interrupt = () => refusal(401, 'wire.unauthorized')
    const before = server.requests.length
    await expect(session.send('Hi')).rejects.toMatchObject({ code: 'wire.unauthorized', retryable: false })
    expect(server.requests.length - before).toBe(2)
  })
})
