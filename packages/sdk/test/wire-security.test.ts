import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SessionStore } from '../src/stores/store.ts'
import { agentWorld } from '../src/testing/agent-world.ts'
import { createAgentServer } from '../src/wire/server/index.ts'

// Every route, with everything that is wrong with a request: refused with its code, and the store is as it was.

const HOST = 'https://agent.test'
const SHA = 'a'.repeat(64)
const MIB = 1024 * 1024

interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: (id: string) => string
  readonly body?: unknown
  readonly bytes?: true
}

const input = { id: 'in-2', type: 'input', mode: 'run', parts: [{ type: 'text', text: 'Hello' }] }
const ofSessions: Record<string, Route> = {
  'read a session': { method: 'GET', path: (id) => `/sessions/${id}` },
  'delete a session': { method: 'DELETE', path: (id) => `/sessions/${id}` },
  'read messages': { method: 'GET', path: (id) => `/sessions/${id}/messages` },
  'send a command': { method: 'POST', path: (id) => `/sessions/${id}/commands`, body: input },
  fork: { method: 'POST', path: (id) => `/sessions/${id}/fork`, body: { id: 'stolen' } },
  upload: { method: 'POST', path: (id) => `/sessions/${id}/blobs`, bytes: true },
  download: { method: 'GET', path: (id) => `/sessions/${id}/blobs/${SHA}` },
  'follow a session': { method: 'GET', path: (id) => `/sessions/${id}/events` },
}
const others: Record<string, Route> = {
  health: { method: 'GET', path: () => '/health' },
  capabilities: { method: 'GET', path: () => '/capabilities' },
  description: { method: 'GET', path: () => '/openapi.json' },
  'list sessions': { method: 'GET', path: () => '/sessions' },
  'create a session': { method: 'POST', path: () => '/sessions', body: { id: 'new' } },
  'follow several sessions': { method: 'GET', path: (id) => `/events?s=${id}:0` },
  'no route': { method: 'GET', path: () => '/nothing' },
}
const all = Object.entries({ ...ofSessions, ...others })
const known = all.filter(([name]) => name !== 'no route')
const sessionRoutes = Object.entries(ofSessions)
const posts = known.filter(([, { method }]) => method === 'POST')

const world = agentWorld(['Hello.'])
const server = createAgentServer({
  agent: world.agent,
  authorize: (request) => {
    const [id, tenant] = (request.headers.get('authorization') ?? '').split('@')
    return id ? { id, ...(tenant && { tenant }) } : undefined
  },
  canAccess: ({ id }, row, action) => id === 'reader' && action === 'read' && row.id === 's',
  cors: { origins: ['https://app.test'], credentials: true },
  uploads: { maxBytes: MIB, mediaTypes: ['image/png'] },
})
let before = ''

interface Wrong {
  readonly as?: string | undefined
  readonly id?: string
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: BodyInit
}

async function ask(route: Route, { as = 'ada', id = 's', method = route.method, headers = {}, body }: Wrong = {}) {
  const sent = body ?? (route.bytes ? new Uint8Array([1]) : route.body && JSON.stringify(route.body))
  const type = route.bytes ? 'image/png' : 'application/json'
  const response = await server.fetch(
    new Request(HOST + route.path(id), {
      method,
      headers: { ...(as && { authorization: as }), ...(sent !== undefined && { 'content-type': type }), ...headers },
      ...(sent !== undefined && method !== 'GET' && method !== 'HEAD' && { body: sent, duplex: 'half' }),
    } as RequestInit),
  )
  return response
}

async function codeOf(response: Response): Promise<[number, string | undefined]> {
  const { error } = (await response.json()) as { error?: { code: string; message: string; retryable: boolean } }
  if (error !== undefined) expect(Object.keys(error)).toEqual(expect.arrayContaining(['code', 'message', 'retryable']))
  return [response.status, error?.code]
}

async function contentOf(store: SessionStore): Promise<string> {
  const rows = (await store.list({ limit: 500 })).items
  const events: unknown[] = []
  for (const { id } of rows) {
    for await (const batch of store.read(id)) events.push(...batch)
    events.push(await store.commands(id), await store.blobs.get(id, SHA))
  }
  return JSON.stringify([rows, events])
}

const unchanged = async (): Promise<void> => expect((await contentOf(world.store)) === before).toBe(true)

beforeAll(async () => {
  await ask({ method: 'POST', path: () => '/sessions', body: { id: 's', title: 'Secret' } })
  const { receipt } = await (
    await ask({ method: 'POST', path: () => '/sessions/s/commands', body: { ...input, id: 'in-1' } })
  ).json()
  await (await world.agent.session('s')).follow(receipt.runId).result
  await (await world.agent.session('nobodys')).update({ title: 'In process' })
  before = await contentOf(world.store)
})
afterAll(() => server.close({ drainMs: 0 }))

describe.each(all)('%s', (_name, route) => {
  it('refuses nobody in particular', async () => {
    expect(await codeOf(await ask(route, { as: '' }))).toEqual([401, 'wire.unauthorized'])
    await unchanged()
  })

  it('refuses a page of another origin, with cookies and without', async () => {
    for (const origin of ['https://evil.test', 'null', 'https://agent.test.evil.test', 'http://app.test']) {
      for (const cookie of [{}, { cookie: 'session=1' }]) {
        const response = await ask(route, { headers: { origin, ...cookie } })
        expect(response.headers.get('access-control-allow-origin')).toBeNull()
        expect(await codeOf(response)).toEqual([403, 'wire.origin'])
      }
    }
    await unchanged()
  })

  it('has headers that keep it out of caches, frames and sniffers', async () => {
    const { headers } = await ask(route, { as: '' })
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  })
})

describe.each(known)('%s', (_name, route) => {
  it('refuses other methods', async () => {
    for (const method of ['PUT', 'PATCH', 'HEAD', 'OPTIONS']) {
      const response = await ask(route, { method })
      expect(response.status).toBe(405)
      if (method !== 'HEAD') expect(await codeOf(response)).toEqual([405, 'wire.method-not-allowed'])
    }
    await unchanged()
  })
})

describe.each(sessionRoutes)('%s', (_name, route) => {
  it.each(['eve', 'ada@acme', 'reader@acme'])('refuses %s as if there were nothing', async (as) => {
    const foreign = await ask(route, { as })
    const unknown = await ask(route, { as, id: 'nowhere' })
    expect([foreign.status, unknown.status]).toEqual([404, 404])
    const text = await foreign.text()
    expect(text.replaceAll('"s\\"', '"nowhere\\"').replaceAll('\\"s\\"', '\\"nowhere\\"')).toBe(await unknown.text())
    expect(text).toContain('session.not-found')
    await unchanged()
  })

  it('refuses a session that no principal owns', async () => {
    expect(await codeOf(await ask(route, { id: 'nobodys' }))).toEqual([404, 'session.not-found'])
    await unchanged()
  })

  it('refuses ids that are none', async () => {
    for (const id of ['%00', 'a%0Ab', 'x'.repeat(257), '%C2%85']) {
      expect(await codeOf(await ask(route, { id }))).toEqual([400, 'session.invalid-id'])
    }
    for (const id of ['%E0%A4', '..%2F..%2Fetc%2Fpasswd', "'%20OR%201=1--", '__proto__']) {
      expect(await codeOf(await ask(route, { id }))).toEqual([404, 'session.not-found'])
    }
    await unchanged()
  })
})

describe.each(posts)('%s', (_name, route) => {
  it('refuses other content types', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'nonsense',
    ]) {
      expect(await codeOf(await ask(route, { headers: { 'content-type': type } }))).toEqual([415, 'wire.content-type'])
    }
    await unchanged()
  })

  it('refuses a body that is too large before it was read, told or not', async () => {
    const length = route.bytes ? MIB + 1 : 8 * MIB + 1
    let pulled = 0
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled++
        controller.enqueue(new Uint8Array(64 * 1024).fill(32))
      },
    })
    expect(await codeOf(await ask(route, { body: endless }))).toEqual([413, 'input.too-large'])
    expect(pulled).toBeLessThan(200)
    const told = { 'content-length': String(length) }
    expect(await codeOf(await ask(route, { headers: told }))).toEqual([413, 'input.too-large'])
    await unchanged()
  })
})

describe.each(posts.filter(([, { bytes }]) => !bytes))('%s', (_name, route) => {
  it('refuses what is no JSON object of its form', async () => {
    const bodies = [
      '',
      '{',
      '[]',
      'null',
      '"x"',
      '{"id":7}',
      '{"id":""}',
      `{"id":"${'x'.repeat(300)}"}`,
      '{"id":"a\\u0000"}',
    ]
    for (const body of [...bodies, new Uint8Array([0x7b, 0xff, 0x7d])]) {
      expect(await codeOf(await ask(route, { body }))).toEqual([400, 'wire.bad-request'])
    }
    const deep = `{"id":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    expect(await codeOf(await ask(route, { body: deep }))).toEqual([400, 'wire.bad-request'])
    await unchanged()
  })
})

describe('a command', () => {
  const send = { method: 'POST', path: () => '/sessions/s/commands' } as const
  const command = (body: object) => ask({ ...send, body })

  it('that comes again changes nothing, and one with its id and other content is refused', async () => {
    const again = await command({ ...input, id: 'in-1' })
    expect([again.status, (await again.json()).receipt.status]).toEqual([200, 'started'])
    expect(await codeOf(await command({ ...input, id: 'in-1', mode: 'queue' }))).toEqual([409, 'session.conflict'])
    await unchanged()
  })

  it('of a kind that clients do not have, with bytes, or without content is refused', async () => {
    const deliver = { id: 'd', type: 'deliver', childId: 'c', runId: 'r', text: 'x' }
    expect(await codeOf(await command(deliver))).toEqual([400, 'wire.bad-request'])
    const file = { type: 'file', mediaType: 'text/plain', url: 'file:///etc/passwd' }
    expect(await codeOf(await command({ ...input, parts: [file] }))).toEqual([400, 'wire.bad-request'])
    expect(await codeOf(await command({ ...input, parts: [{ type: 'text', text: ' ' }] }))).toEqual([
      400,
      'input.empty',
    ])
    expect(await codeOf(await command({ ...input, parts: [] }))).toEqual([400, 'wire.bad-request'])
    await unchanged()
  })

  it('sets nothing that is not exposed', async () => {
    for (const options of [{ maxTurns: 1 }, { model: 'x' }, { limits: [] }, { constructor: {} }, { history: [] }]) {
      expect(await codeOf(await command({ ...input, options }))).toEqual([400, 'wire.not-exposed'])
    }
    await unchanged()
  })
})

describe('a shared session', () => {
  it('is read by whom it is shared with, and nothing else', async () => {
    expect((await ask(ofSessions['read a session'] as Route, { as: 'reader' })).status).toBe(200)
    for (const name of ['delete a session', 'send a command', 'upload']) {
      expect(await codeOf(await ask(ofSessions[name] as Route, { as: 'reader' }))).toEqual([404, 'session.not-found'])
    }
    await unchanged()
  })

  it('is in no list but its owner’s', async () => {
    for (const as of ['reader', 'eve', 'ada@acme']) {
      expect((await (await ask(others['list sessions'] as Route, { as })).json()).items).toEqual([])
    }
  })

  it('has an id that others cannot take, and learn nothing of', async () => {
    const create = { ...(others['create a session'] as Route), body: { id: 's' } }
    expect(await codeOf(await ask(create, { as: 'eve' }))).toEqual([404, 'session.not-found'])
    expect((await ask(create)).status).toBe(200)
    await unchanged()
  })
})

describe('a page of an allowed origin', () => {
  it('is answered, also when its browser asks first', async () => {
    const origin = 'https://app.test'
    const response = await ask(others['list sessions'] as Route, { headers: { origin } })
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, origin])
    const preflight = await server.fetch(
      new Request(`${HOST}/sessions`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' },
      }),
    )
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, origin])
    expect(preflight.headers.get('access-control-allow-credentials')).toBe('true')
  })

  it('is answered where it is the host’s own, also behind a proxy that speaks TLS', async () => {
    const response = await ask(others['list sessions'] as Route, { headers: { origin: 'http://agent.test' } })
    expect(response.status).toBe(200)
  })
})

describe('queries', () => {
  it.each([
    '/sessions?limit=0',
    '/sessions?limit=501',
    '/sessions?limit=ten',
    '/sessions?archived=maybe',
    '/sessions/s/events?after=-1',
    '/sessions/s/events?after=1e3',
    '/sessions/s/events?after=99999999999999999',
    '/sessions/s/messages?limit=-1',
    '/events',
    '/events?s=s',
    '/events?s=:1',
    '/events?s=s:x',
    `/events?${Array.from({ length: 101 }, (_, i) => `s=s${i}:0`).join('&')}`,
  ])('that mean nothing are refused: %s', async (path) => {
    const [status, code] = await codeOf(await ask({ method: 'GET', path: () => path }))
    expect([status, code]).toEqual([400, 'wire.bad-request'])
  })

  it('with a cursor that no page had are refused', async () => {
    const path = '/sessions?cursor=nonsense'
    expect(await codeOf(await ask({ method: 'GET', path: () => path }))).toEqual([400, 'input.invalid'])
  })
})
