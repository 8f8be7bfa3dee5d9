import { describe, expect, it } from 'vitest'
import { StoreError } from '../../protocol/errors.ts'
import { reduce } from '../../protocol/reduce.ts'
import { initialState } from '../../protocol/state.ts'
import { memoryStore } from '../../stores/memory.ts'
import { agentWorld, stateWhere, type WorldOptions } from '../../testing/agent-world.ts'
import type { ScriptedStep } from '../../testing/scripted-model.ts'
import { type SseFrame, sseFrames } from '../../testing/sse.ts'
import { createAgentServer } from './create-server.ts'
import type { AgentServerOptions } from './options.ts'

const HOST = 'http://agent.test'

function world(steps: readonly ScriptedStep[], options: WorldOptions = {}, server: Partial<AgentServerOptions> = {}) {
  const agent = agentWorld(steps, options)
  const served = createAgentServer({
    agent: agent.agent,
    authorize: (request) => {
      const id = request.headers.get('authorization')
      return id === null ? undefined : { id }
    },
    ...server,
  })
  const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    served.fetch(
      new Request(HOST + path, {
        method,
        headers: {
          authorization: 'ada',
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    )
  const json = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) => {
    const response = await ask(method, path, body, headers)
    return { status: response.status, body: response.status === 204 ? undefined : await response.json() }
  }
  return { ...agent, served, ask, json }
}

const say = (text: string, id: string, more: object = {}) => ({
  id,
  type: 'input',
  mode: 'run',
  parts: [{ type: 'text', text }],
  ...more,
})

/** Frames until one that fits, that one included. */
async function framesUntil(frames: AsyncGenerator<SseFrame>, fits: (frame: SseFrame) => boolean): Promise<SseFrame[]> {
  const seen: SseFrame[] = []
  for (;;) {
    const { value, done } = await frames.next()
    if (done) return seen
    seen.push(value)
    if (fits(value)) return seen
  }
}

const hasFinish = ({ events }: SseFrame): boolean => events?.some(({ type }) => type === 'finish') === true

describe('a session over the wire', () => {
  it('is created, talked to, followed, read, forked and deleted', async () => {
    const { ask, json, agent } = world(['Hello Ada.'])
    expect((await json('POST', '/sessions', { id: 's', title: 'One' })).status).toBe(201)
    const stream = await ask('GET', '/sessions/s/events')
    expect(stream.headers.get('content-type')).toBe('text/event-stream')
    expect(stream.headers.get('cache-control')).toBe('no-store, no-transform')
    expect(stream.headers.get('x-accel-buffering')).toBe('no')
    const { status, body } = await json('POST', '/sessions/s/commands', say('Hi', 'in-1'))
    expect([status, body.receipt.status, body.receipt.runId]).toEqual([200, 'started', 'run_in-1'])

    const frames = await framesUntil(sseFrames(stream), hasFinish)
    let state = initialState('s')
    let head = 0
    for (const frame of frames) {
      expect(frame.prev).toBe(head)
      head = frame.head ?? 0
      expect(frame.eventId).toBe(String(head))
      state = reduce(state, frame.events ?? [])
    }
    expect(state).toEqual((await agent.session('s')).state)

    const snapshot = await json('GET', '/sessions/s')
    expect(snapshot.body.state).toEqual(state)
    expect(snapshot.body.seq).toBe(state.seq)
    expect(snapshot.body.row).toMatchObject({ id: 's', title: 'One', principal: 'ada' })

    const forked = await json('POST', '/sessions/s/fork', { id: 'f', toMessageId: 'in-1' })
    expect([forked.status, forked.body.session.id, forked.body.session.principal]).toEqual([201, 'f', 'ada'])
    const list = await json('GET', '/sessions?limit=10')
    expect(list.body.items.map(({ id }: { id: string }) => id).sort()).toEqual(['f', 's'])
    expect((await json('DELETE', '/sessions/s')).status).toBe(204)
    expect((await json('GET', '/sessions/s')).body.error.code).toBe('session.not-found')
  })

  it('says who asked, and takes no other name', async () => {
    const { json, agent } = world(['Hello.'])
    await json('POST', '/sessions', { id: 's', principal: 'eve' })
    await json('POST', '/sessions/s/commands', { ...say('Hi', 'in-1'), by: 'eve', at: 1 })
    const session = await agent.session('s')
    await session.follow('run_in-1').result
    expect(session.state.row.principal).toBe('ada')
    expect(session.state.history[0]).toMatchObject({ by: 'ada', id: 'in-1' })
  })

  it('gives older messages in pages', async () => {
    const { json, agent } = world([], {}, { expose: ['history'] })
    const history = Array.from({ length: 450 }, (_, i) => ({
      role: 'user',
      id: `m${i}`,
      at: i,
      parts: [{ type: 'text', text: String(i) }],
    }))
    await json('POST', '/sessions', { id: 's', history })
    const { body } = await json('GET', '/sessions/s')
    expect([body.state.history.length, body.before]).toEqual([200, 'm250'])
    const older = await json('GET', `/sessions/s/messages?before=${body.before}`)
    expect([older.body.messages.length, older.body.before]).toEqual([200, 'm50'])
    const oldest = await json('GET', '/sessions/s/messages?before=m50')
    expect([oldest.body.messages.length, oldest.body.messages[0].id, oldest.body.before]).toEqual([50, 'm0', undefined])
    expect((await agent.session('s')).state.history).toHaveLength(450)
    expect((await json('GET', '/sessions/s/messages?before=nobody')).status).toBe(404)
  })

  it('answers a repeated command with the same receipt, and other content of that id with a conflict', async () => {
    const { json, model } = world(['Hello.'])
    await json('POST', '/sessions', { id: 's' })
    const first = await json('POST', '/sessions/s/commands', say('Hi', 'in-1'))
    const again = await json('POST', '/sessions/s/commands', say('Hi', 'in-1'))
    expect(again.body.receipt).toMatchObject({ commandId: 'in-1', runId: first.body.receipt.runId })
    const other = await json('POST', '/sessions/s/commands', say('Bye', 'in-1'))
    expect([other.status, other.body.error.code]).toEqual([409, 'session.conflict'])
    expect(model.requests.length).toBeLessThan(2)
  })

  it('tells of a refused command in its receipt', async () => {
    const { json } = world([])
    await json('POST', '/sessions', { id: 's' })
    const { status, body } = await json('POST', '/sessions/s/commands', { id: 'c', type: 'compact' })
    expect([status, body.receipt.status, body.receipt.error.code]).toEqual([200, 'refused', 'session.not-supported'])
  })

  it('takes settings of runs only where they are exposed', async () => {
    const { json, agent } = world(['Hello.'], {}, { expose: ['metadata'] })
    await json('POST', '/sessions', { id: 's' })
    const refused = await json(
      'POST',
      '/sessions/s/commands',
      say('Hi', 'in-1', { options: { metadata: { a: 1 }, maxTurns: 3, model: 'gpt' } }),
    )
    expect([refused.status, refused.body.error]).toEqual([
      400,
      expect.objectContaining({ code: 'wire.not-exposed', details: { options: ['maxTurns', 'model'] } }),
    ])
    await json('POST', '/sessions/s/commands', say('Hi', 'in-2', { options: { metadata: { a: 1 } } }))
    const session = await agent.session('s')
    for await (const event of session.follow('run_in-2')) {
      if (event.type === 'run-start') expect(event.config.metadata).toEqual({ a: 1 })
    }
    const history = await json('POST', '/sessions', { id: 't', history: [] })
    expect(history.body.error.code).toBe('wire.not-exposed')
  })

  it('stores bytes and gives them back as bytes to save', async () => {
    const { served, json } = world([], {}, { uploads: { maxBytes: 100, mediaTypes: ['image/*'] } })
    await json('POST', '/sessions', { id: 's' })
    const upload = (type: string, bytes: Uint8Array<ArrayBuffer>, query = '') =>
      served.fetch(
        new Request(`${HOST}/sessions/s/blobs${query}`, {
          method: 'POST',
          headers: { authorization: 'ada', 'content-type': type },
          body: bytes,
        }),
      )
    const stored = await upload('image/png', new Uint8Array([1, 2, 3]), '?name=a.png')
    const { blob, mediaType, name } = await stored.json()
    expect([stored.status, mediaType, name, blob.size]).toEqual([201, 'image/png', 'a.png', 3])
    const got = await served.fetch(
      new Request(`${HOST}/sessions/s/blobs/${blob.sha256}`, { headers: { authorization: 'ada' } }),
    )
    expect(new Uint8Array(await got.arrayBuffer())).toEqual(new Uint8Array([1, 2, 3]))
    expect(got.headers.get('content-disposition')).toBe('attachment')
    expect(got.headers.get('x-content-type-options')).toBe('nosniff')
    expect(got.headers.get('cache-control')).toContain('private')
    expect((await upload('text/html', new Uint8Array([1]))).status).toBe(415)
    expect((await upload('image/png', new Uint8Array(101))).status).toBe(413)
  })
})

describe('a stream', () => {
  it('stays open between runs, and beats', async () => {
    const { ask, json, clock } = world(['One.', 'Two.'])
    await json('POST', '/sessions', { id: 's' })
    const frames = sseFrames(await ask('GET', '/sessions/s/events?after=1'))
    expect((await frames.next()).value).toMatchObject({ prev: 1, head: 1, events: [] })
    await json('POST', '/sessions/s/commands', say('Hi', 'a'))
    const first = await framesUntil(frames, hasFinish)
    clock.advance(15_000)
    const head = first.at(-1)?.head
    expect((await frames.next()).value).toMatchObject({ prev: head, head, events: [] })
    await json('POST', '/sessions/s/commands', say('Hi', 'b'))
    expect((await framesUntil(frames, hasFinish)).at(-1)?.head).toBeGreaterThan(head ?? 0)
  })

  it('goes on from Last-Event-ID, in the middle of a reply', async () => {
    let go = (): void => {}
    const held = new Promise<void>((resolve) => {
      go = resolve
    })
    const { ask, json } = world([{ text: 'Hello there, Ada.', beforeEnd: () => held }])
    await json('POST', '/sessions', { id: 's' })
    const frames = sseFrames(await ask('GET', '/sessions/s/events'))
    await json('POST', '/sessions/s/commands', say('Hi', 'a'))
    const seen = await framesUntil(frames, ({ events }) => events?.some(({ type }) => type === 'text-delta') === true)
    await frames.return(undefined)
    const last = seen.at(-1)?.eventId ?? ''
    const resumed = sseFrames(await ask('GET', '/sessions/s/events?after=0', undefined, { 'last-event-id': last }))
    go()
    const rest = await framesUntil(resumed, hasFinish)
    const text = [...seen, ...rest]
      .flatMap(({ events }) => events ?? [])
      .reduce((said, event) => (event.type === 'text-delta' ? said.slice(0, event.from) + event.text : said), '')
    expect(text).toBe('Hello there, Ada.')
    expect(rest[0]?.prev).toBe(Number(last))
  })

  it('carries several sessions, and says of each that cannot be read that it is gone', async () => {
    const { ask, json } = world(['One.', 'Two.'])
    await json('POST', '/sessions', { id: 'a:1' })
    await json('POST', '/sessions', { id: 'b' })
    await json('POST', '/sessions', { id: 'c' }, { authorization: 'eve' })
    const frames = sseFrames(await ask('GET', `/events?s=${encodeURIComponent('a:1')}:0&s=b:1&s=c:0&s=nowhere:0`))
    const first = [await frames.next(), await frames.next(), await frames.next(), await frames.next()]
    const bySession = new Map(first.map(({ value }) => [value?.session, value]))
    expect(bySession.get('a:1')).toMatchObject({ prev: 0, head: 1 })
    expect(bySession.get('b')).toMatchObject({ prev: 1, head: 1, events: [] })
    expect(bySession.get('c')?.gone.code).toBe('session.not-found')
    expect(bySession.get('nowhere')?.gone.code).toBe('session.not-found')
    await json('POST', '/sessions/b/commands', say('Hi', 'x'))
    const ran = await framesUntil(frames, hasFinish)
    expect(new Set(ran.map(({ session }) => session))).toEqual(new Set(['b']))
    await json('DELETE', '/sessions/b')
    expect((await frames.next()).value).toMatchObject({ session: 'b', gone: { code: 'session.not-found' } })
  })

  it('tells a reader who knows of what nobody knows to begin anew, and goes on', async () => {
    const { ask, json } = world(['One.'])
    await json('POST', '/sessions', { id: 's' })
    const frames = sseFrames(await ask('GET', `/events?s=s:${7 * 2 ** 32}`))
    expect((await frames.next()).value).toEqual({ session: 's', resync: true, head: 1 })
    await json('POST', '/sessions/s/commands', say('Hi', 'x'))
    expect((await framesUntil(frames, hasFinish))[0]?.prev).toBe(1)
  })

  it('leaves the run alone when its reader goes', async () => {
    let go = (): void => {}
    const held = new Promise<void>((resolve) => {
      go = resolve
    })
    const { ask, json, agent } = world([{ text: 'Hello.', before: () => held }])
    await json('POST', '/sessions', { id: 's' })
    const gone = new AbortController()
    const frames = sseFrames(await ask('GET', '/sessions/s/events'))
    await json('POST', '/sessions/s/commands', say('Hi', 'a'))
    await frames.return(undefined)
    gone.abort()
    go()
    expect((await (await agent.session('s')).follow('run_a').result).reason).toBe('stop')
  })
})

describe('the death of an owner', () => {
  it('is noticed while somebody reads: the run gets its end, or goes on', async () => {
    for (const [onInterrupted, reason] of [
      ['finish', 'interrupted'],
      ['resume', 'stop'],
    ] as const) {
      const { ask, json, clock, store } = world(['Said by the next one.'], { onInterrupted })
      await json('POST', '/sessions', { id: 's' })
      // Another process, whose time stands still: it neither renews its lease nor goes on.
      const dead = agentWorld([{ text: 'Hello', beforeEnd: () => new Promise(() => {}) }], { store })
      const run = (await dead.session()).run('Hi')
      for await (const { type } of run) if (type === 'turn-start') break
      const frames = sseFrames(await ask('GET', '/sessions/s/events'))
      await frames.next()
      clock.advance(15_000)
      const last = (await framesUntil(frames, hasFinish)).at(-1)
      expect(last?.events?.at(-1)).toMatchObject({ type: 'finish', runId: run.id, reason })
    }
  })

  it('does not stop a reader from hearing that the session was deleted elsewhere', async () => {
    const { ask, json, clock, store } = world([])
    await json('POST', '/sessions', { id: 's' })
    const frames = sseFrames(await ask('GET', '/sessions/s/events'))
    await frames.next()
    await store.delete('s')
    clock.advance(15_000)
    const seen = await framesUntil(frames, ({ gone }) => gone !== undefined)
    expect(seen.at(-1)?.gone?.code).toBe('session.not-found')
    expect((await frames.next()).done).toBe(true)
  })
})

describe('a store that fails', () => {
  it('is told without what it said, and ends the streams that need it', async () => {
    const store = memoryStore()
    let fails = false
    const failing = (): void => {
      if (fails) throw new StoreError('store.unavailable', 'ENOENT /srv/secret/agent.db', { retryable: true })
    }
    const { ask, json } = world([], {
      store: {
        ...store,
        async get(id) {
          failing()
          return store.get(id)
        },
        async *read(id, options) {
          failing()
          yield* store.read(id, options)
        },
      },
    })
    await json('POST', '/sessions', { id: 's' })
    fails = true
    expect(await json('GET', '/sessions/s')).toEqual({
      status: 503,
      body: { error: { code: 'store.unavailable', message: 'The storage failed.', retryable: true } },
    })
    const frames = sseFrames(await ask('GET', '/events?s=s:0'))
    expect((await frames.next()).value).toEqual({ reconnect: 0 })
    expect((await frames.next()).done).toBe(true)
  })
})

describe('a host that cuts', () => {
  const slow = () => {
    let go = (): void => {}
    const held = new Promise<void>((resolve) => {
      go = resolve
    })
    return { held, go: () => go() }
  }

  it('is told of the work under way, and gets the run back before the cut', async () => {
    const { held } = slow()
    const kept: Promise<unknown>[] = []
    const { ask, json, clock, agent } = world(
      [{ text: 'Never.', beforeEnd: (signal) => Promise.race([held, aborted(signal)]) }, 'Resumed.'],
      { onInterrupted: 'resume' },
      { waitUntil: (work) => kept.push(work), maxDurationMs: 60_000 },
    )
    await json('POST', '/sessions', { id: 's' })
    const frames = sseFrames(await ask('GET', '/sessions/s/events'))
    await json('POST', '/sessions/s/commands', say('Hi', 'a'))
    expect(kept).toHaveLength(1)
    clock.advance(55_000)
    expect((await framesUntil(frames, ({ reconnect }) => reconnect !== undefined)).at(-1)?.reconnect).toBe(0)
    expect((await frames.next()).done).toBe(true)
    await Promise.all(kept)
    // The next request takes the run on.
    const again = sseFrames(await ask('GET', '/sessions/s/events?after=1'))
    const rest = await framesUntil(again, hasFinish)
    expect(rest.flatMap(({ events }) => events ?? []).at(-1)).toMatchObject({ type: 'finish', reason: 'stop' })
    await stateWhere(await agent.session('s'), ({ status }) => status === 'idle')
  })

  it('is told when the run ended by itself', async () => {
    const kept: Promise<unknown>[] = []
    const { json, store } = world(['Hello.'], {}, { waitUntil: (work) => kept.push(work) })
    await json('POST', '/sessions', { id: 's' })
    await json('POST', '/sessions/s/commands', say('Hi', 'a'))
    await Promise.all(kept)
    expect((await store.get('s'))?.openRun).toBeUndefined()
  })
})

describe('close', () => {
  it('lets runs end, tells readers to come back, and refuses what comes after', async () => {
    let go = (): void => {}
    const held = new Promise<void>((resolve) => {
      go = resolve
    })
    const { ask, json, served } = world([{ text: 'Hello.', before: () => held }])
    await json('POST', '/sessions', { id: 's' })
    const frames = sseFrames(await ask('GET', '/sessions/s/events'))
    await json('POST', '/sessions/s/commands', say('Hi', 'a'))
    const closed = served.close()
    const refused = await json('GET', '/sessions')
    expect([refused.status, refused.body.error.code, refused.body.error.retryable]).toEqual([503, 'wire.closing', true])
    go()
    const seen = await framesUntil(frames, ({ reconnect }) => reconnect !== undefined)
    expect(seen.some(hasFinish)).toBe(true)
    expect((await frames.next()).done).toBe(true)
    await closed
  })
})

describe('createAgentServer', () => {
  const { agent } = agentWorld([])
  const authorize = () => ({ id: 'ada' })

  it.each([
    ['no authorize', { agent }],
    ['no agent', { agent: {}, authorize }],
    ['an origin that is none', { agent, authorize, cors: { origins: ['*'] } }],
    ['what cannot be exposed', { agent, authorize, expose: ['model'] }],
    ['a path that is none', { agent, authorize, basePath: 'api/' }],
    ['runs that would be cut', { agent, authorize, waitUntil: () => {}, maxDurationMs: 1_000 }],
  ])('refuses %s', (_what, options) => {
    expect(() => createAgentServer(options as unknown as AgentServerOptions)).toThrow(
      expect.objectContaining({ code: 'config.invalid' }),
    )
  })

  it('does not answer for an authorize that gives no principal, and says nothing of why', async () => {
    const logged: string[] = []
    const logger = { log: (_level: string, message: string) => logged.push(message) }
    const { agent: logging } = agentWorld([], { logger })
    for (const given of [() => ({ id: '' }), () => Promise.reject(new Error('the key is hunter2'))]) {
      const served = createAgentServer({ agent: logging, authorize: given as () => { id: string } })
      const response = await served.fetch(new Request(`${HOST}/health`))
      expect(response.status).toBe(500)
      expect(await response.json()).toEqual({
        error: { code: 'internal', message: 'The server failed.', retryable: false },
      })
    }
    expect(logged).toHaveLength(2)
  })

  it('serves below a path', async () => {
    const served = createAgentServer({ agent, authorize, basePath: '/api/agent' })
    expect((await served.fetch(new Request(`${HOST}/api/agent/health`))).status).toBe(200)
    expect((await served.fetch(new Request(`${HOST}/health`))).status).toBe(404)
  })
})

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
}
