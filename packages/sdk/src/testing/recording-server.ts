import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { StepwellError } from '../protocol/errors.ts'
import { type Chunking, chunked } from './chunking.ts'

export type RecordedApi = 'openai-chat' | 'openai-responses' | 'anthropic'

/** A point in a body where the server waits until it is told to go on. A gate nobody opens makes a stream without end. */
export interface Gate {
  readonly opened: Promise<void>
  open(): void
}

export interface Reply {
  /** Default 200. */
  readonly status?: number
  /** Default: an event stream. */
  readonly headers?: Readonly<Record<string, string>>
  /** Text and bytes in the order they are sent, with gates to wait at. */
  readonly body?: string | Uint8Array | readonly (string | Uint8Array | Gate)[]
  readonly chunking?: Chunking
  /** After so many bytes of the body the connection is reset; 0 resets it instead of an answer. */
  readonly cutAfter?: number
  /** A pause before every chunk, for demos. Tests wait at gates instead. */
  readonly delayMs?: number
}

export interface RecordedRequest {
  readonly method: string
  /** With the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly text: string
  /** The body as JSON; undefined where it is none. */
  readonly json: unknown
  /** Resolves when the connection is done with this request: `whole` if the reply was sent to its end. */
  readonly closed: Promise<{ readonly whole: boolean }>
}

export interface RecordingServer {
  /** `http://127.0.0.1:PORT` */
  readonly url: string
  readonly requests: readonly RecordedRequest[]
  /** Resolves with the nth request, counted from 0, as soon as it has come. */
  request(n: number): Promise<RecordedRequest>
  /** Closes every connection. Rejects with `testing.unexpected-call` if more requests came than there were replies. */
  close(): Promise<void>
}

/** A gate: `const gate = hold()`, in a body, then `gate.open()`. */
export function hold(): Gate {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

/** Payloads as an API streams them: one event each, and what its streams end with. */
export function framed(api: RecordedApi, payloads: readonly string[]): string {
  if (api === 'openai-chat') return [...payloads, '[DONE]'].map((payload) => `data: ${payload}\n\n`).join('')
  return payloads
    .map((payload) => `event: ${(JSON.parse(payload) as { type: string }).type}\ndata: ${payload}\n\n`)
    .join('')
}

/** A recorded stream, one payload a line, as an API streams it. */
export function recording(path: string, api: RecordedApi): string {
  return framed(api, readFileSync(path, 'utf8').trim().split('\n'))
}

/** Serves replies over real HTTP, one for each request in order; a function makes them as requests come, without end. */
export async function recordingServer(
  replies: readonly Reply[] | ((request: RecordedRequest, n: number) => Reply),
): Promise<RecordingServer> {
  const requests: RecordedRequest[] = []
  const waiting: { n: number; resolve: (request: RecordedRequest) => void }[] = []
  let unexpected: StepwellError | undefined

  async function answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await recorded(message, response)
    const n = requests.push(request) - 1
    for (const { resolve } of waiting.filter((each) => each.n === n)) resolve(request)
    const reply = typeof replies === 'function' ? replies(request, n) : replies[n]
    if (reply !== undefined) return send(reply, response)
    unexpected = new StepwellError('testing.unexpected-call', `Request ${n + 1} came, but there are only ${n} replies`)
    return send({ status: 400, body: JSON.stringify({ error: { message: unexpected.message } }) }, response)
  }

  const server = createServer((message, response) => {
    answer(message, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    request: (n) =>
      new Promise((resolve) => {
        const known = requests[n]
        if (known === undefined) waiting.push({ n, resolve })
        else resolve(known)
      }),
    async close() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
      if (unexpected !== undefined) throw unexpected
    },
  }
}

async function recorded(message: IncomingMessage, response: ServerResponse): Promise<RecordedRequest> {
  const closed = new Promise<{ whole: boolean }>((resolve) => {
    response.on('close', () => resolve({ whole: response.writableFinished }))
  })
  const pieces: Uint8Array[] = []
  for await (const piece of message) pieces.push(piece as Uint8Array)
  const text = Buffer.concat(pieces).toString('utf8')
  return {
    method: message.method ?? '',
    path: message.url ?? '',
    headers: message.headers as Record<string, string | undefined>,
    text,
    json: parsed(text),
    closed,
  }
}

async function send(reply: Reply, response: ServerResponse): Promise<void> {
  const {
    status = 200,
    headers = { 'content-type': 'text/event-stream' },
    body = [],
    cutAfter = Number.POSITIVE_INFINITY,
  } = reply
  if (cutAfter === 0) return void response.destroy()
  response.writeHead(status, headers)
  response.flushHeaders()
  let sent = 0
  const segments = typeof body === 'string' || body instanceof Uint8Array ? [body] : body
  for (const segment of segments) {
    if (typeof segment === 'object' && 'opened' in segment) {
      await segment.opened
      continue
    }
    const bytes = typeof segment === 'string' ? new TextEncoder().encode(segment) : segment
    for (const chunk of chunked(bytes.subarray(0, cutAfter - sent), reply.chunking ?? 'whole')) {
      if (reply.delayMs) await new Promise((resolve) => setTimeout(resolve, reply.delayMs))
      if (response.destroyed) return
      response.write(chunk)
      sent += chunk.length
    }
    if (sent >= cutAfter) return void response.write('', () => response.destroy())
  }
  response.end()
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
