import { getEventListeners } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hold, type RecordingServer, type Reply, recordingServer } from '../testing/recording-server.ts'
import type { SseFrame } from './frames.ts'
import { frameObject } from './frames.ts'
import { postStream, type StreamRequest } from './http.ts'

let server: RecordingServer
let reply: Reply = {}

beforeAll(async () => {
  server = await recordingServer(() => reply)
})
afterAll(() => server.close())

const request = (over: Partial<StreamRequest> = {}): StreamRequest => ({
  fetch,
  url: `${server.url}/path`,
  headers: {},
  body: {},
  signal: new AbortController().signal,
  provider: 'p',
  ...over,
})

async function frames(over: Partial<StreamRequest> = {}): Promise<SseFrame[]> {
  const all: SseFrame[] = []
  for await (const _ of postStream(request(over), (frame) => all.push(frame)));
  return all
}

describe('server-sent events', () => {
  const body =
    '\uFEFF: hi\r\ndata:{"t":"Zażółć\u2028"}\r\n\r\nevent: e\rdata: {"t":\rdata: "🌍"}\r\rid: 9\nodd: x\ndata: {}\n\r\ndata: [DONE]'
  const bytes = new TextEncoder().encode(body)
  const expected = ['{"t":"Zażółć\u2028"}', '{"t":\n"🌍"}', '{}', '[DONE]']

  test('are the same wherever the bytes are cut in two', async () => {
    for (let at = 0; at < bytes.length; at++) {
      reply = { body: bytes, chunking: [at] }
      expect(
        (await frames()).map((frame) => frame.data),
        `cut at ${at}`,
      ).toEqual(expected)
    }
  })

  test('are the same byte by byte, and the last one says that it was cut', async () => {
    reply = { body: bytes, chunking: 'bytes' }
    const all = await frames()
    expect(all.map((frame) => frame.data)).toEqual(expected)
    expect(all.map((frame) => frame.cut)).toEqual([undefined, undefined, undefined, true])
    expect(all[1]?.event).toBe('e')
  })

  test('heartbeats carry nothing, and broken JSON is no heartbeat', () => {
    for (const data of ['', ' ', ': keepalive', 'ping', 'null']) expect(frameObject({ data }, 'p')).toBeUndefined()
    expect(frameObject({ data: '{"a', cut: true }, 'p')).toBeUndefined()
    for (const data of ['{"a', '7', '[]']) {
      expect(() => frameObject({ data }, 'p')).toThrow(expect.objectContaining({ code: 'provider.protocol' }))
    }
  })
})

test.each<[string, Partial<StreamRequest>]>([
  ['no address', { url: '/v1/chat' }],
  ['another protocol', { url: 'ftp://x/y' }],
  ['a key with a line break', { headers: { authorization: 'Bearer sk-secret\nx' } }],
])('%s is a configuration error that quotes no key', async (_, over) => {
  const error = await frames(over).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'config.invalid' })
  expect(String(error)).not.toContain('sk-secret')
})

test('a key that comes back in a refusal is not passed on', async () => {
  const headers = { authorization: 'Bearer sk-secret' }
  reply = { body: '{"error":{"message":"bad key sk-secret","code":401}}' }
  await expect(frames({ headers })).rejects.toMatchObject({ code: 'provider.auth', message: 'bad key [redacted]' })
})

test('redirects are not followed', async () => {
  const n = server.requests.length
  reply = { status: 307, headers: { location: 'http://elsewhere.test/v1?key=1' } }
  await expect(frames()).rejects.toMatchObject({
    code: 'provider.protocol',
    message: expect.stringContaining('http://elsewhere.test/v1,'),
  })
  expect(server.requests.length).toBe(n + 1)
})

test('fetch is called as a function of its own', async () => {
  reply = { body: '' }
  let self: unknown = 'not called'
  async function picky(this: unknown, ...input: Parameters<typeof fetch>) {
    self = this
    return fetch(...input)
  }
  await frames({ fetch: picky })
  expect(self).toBeUndefined()
})

test('a fetch that adds a header of its own keeps the others', async () => {
  reply = { body: 'data: {}\n\n' }
  const n = server.requests.length
  const adding: typeof fetch = (url, init) => fetch(url, { ...init, headers: { ...init?.headers, 'x-trace': '1' } })
  await frames({ fetch: adding, headers: { authorization: 'Bearer key' } })
  expect((await server.request(n)).headers).toMatchObject({ authorization: 'Bearer key', 'x-trace': '1' })
})

test('an abort ends even a fetch that does not listen, and its late answer is let go', async () => {
  const late = hold()
  const closed = hold()
  const abort = new AbortController()
  const deaf: typeof fetch = async () => {
    await late.opened
    return new Response(new ReadableStream({ cancel: () => closed.open() }))
  }
  const reading = frames({ fetch: deaf, signal: abort.signal })
  abort.abort('enough')
  await expect(reading).rejects.toBe('enough')
  expect(getEventListeners(abort.signal, 'abort')).toEqual([])
  late.open()
  await closed.opened
})

test('an abort ends the wait for an error body', async () => {
  reply = { status: 500, body: ['half', hold()] }
  const abort = new AbortController()
  const n = server.requests.length
  const reading = frames({
    signal: abort.signal,
    fetch: async (...input) => {
      const response = await fetch(...input)
      queueMicrotask(() => abort.abort('enough'))
      return response
    },
  })
  await expect(reading).rejects.toBe('enough')
  expect(await (await server.request(n)).closed).toEqual({ whole: false })
})

describe('after the last frame', () => {
  async function leaveAtLast(): Promise<{ send: (text: string) => void; end: () => void; cancelled: () => boolean }> {
    let body: ReadableStreamDefaultController<Uint8Array> | undefined
    let wasCancelled = false
    const { signal } = new AbortController()
    let inner: AbortSignal | null | undefined
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        body = controller
        controller.enqueue(new TextEncoder().encode('data: [DONE]\n\n'))
      },
      cancel: () => {
        wasCancelled = true
      },
    })
    const once: typeof fetch = async (_, init) => {
      inner = init?.signal
      return new Response(stream)
    }
    let isOver = false
    const onFrame = (frame: SseFrame) => {
      isOver = frame.data === '[DONE]'
    }
    for await (const _ of postStream(request({ fetch: once, signal }), onFrame)) if (isOver) break
    expect(inner?.aborted).toBe(false)
    expect(getEventListeners(signal, 'abort')).toEqual([])
    return {
      send: (text) => body?.enqueue(new TextEncoder().encode(text)),
      end: () => body?.close(),
      cancelled: () => wasCancelled,
    }
  }

  test('a body that ends keeps its connection for the next request', async () => {
    const { end, cancelled } = await leaveAtLast()
    end()
    await new Promise(setImmediate)
    expect(cancelled()).toBe(false)
  })

  test('a body that goes on is closed', async () => {
    const { send, cancelled } = await leaveAtLast()
    send('data: more\n\n')
    await new Promise(setImmediate)
    expect(cancelled()).toBe(true)
  })
})
