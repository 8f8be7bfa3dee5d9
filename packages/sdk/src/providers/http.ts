import { createParser } from 'eventsource-parser'
import { ProviderError } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/json.ts'
import { unlessAborted } from './endpoint.ts'
import { explained } from './explained.ts'
import type { FailedResponse } from './failed-response.ts'
import type { SseFrame } from './frames.ts'
import { redaction } from './redaction.ts'

export interface StreamRequest {
  readonly fetch: typeof fetch
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Normalised. */
  readonly body: JsonObject
  readonly signal: AbortSignal
  /** The provider's id, for errors. */
  readonly provider: string
  /**
   * Recognises the frame after which nothing counts. The stream ends with the read that holds it; what is left of the
   * body is read off in the background for a moment, so that the connection can be used again.
   */
  readonly isLast?: (frame: SseFrame) => boolean
}

/** How long a server may keep its connection after the last frame before it is closed, in ms. */
const LINGER = 1000
/** Longest event a server may send, in characters. */
const MAX_EVENT = 32 * 1024 * 1024

/**
 * Posts JSON and gives the server-sent events of the answer: `[]` as soon as the headers came, then one array for each
 * network read, which may be empty.
 *
 * Throws `config.invalid` for an address or header that cannot be used, a `ProviderError` for every failure on the way,
 * and the signal's reason when it is aborted. Whichever way it ends, the connection is closed and no listener is left
 * on the signal.
 */
export async function* postStream(request: StreamRequest): AsyncGenerator<readonly SseFrame[]> {
  // Taken out of the object: browsers refuse a fetch that is called as somebody's method.
  const { fetch, provider, signal, isLast } = request
  signal.throwIfAborted()
  const url = usableUrl(request.url)
  if (url === undefined) throw (await import('./rare.ts')).addressError(request.url)
  const headers = new Headers({ 'content-type': 'application/json', accept: 'text/event-stream' })
  const unusable = addHeaders(headers, request.headers)
  if (unusable !== undefined) throw (await import('./rare.ts')).headerError(unusable)
  const redact = redaction(request.headers)
  const body = JSON.stringify(request.body)

  // fetch keeps its listener on a signal until it is collected, so it gets one of its own.
  const connection = new AbortController()
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  const close = () => {
    reader?.cancel().catch(() => {})
    connection.abort()
  }
  signal.addEventListener('abort', close, { once: true })

  let sentOutput = false
  let complete = false
  try {
    // A redirect would carry keys in headers of their own (x-api-key) to another origin, and turn most POSTs into GETs.
    const answered = fetch(url, { method: 'POST', headers, body, signal: connection.signal, redirect: 'manual' })
    answered.then((late) => (signal.aborted ? late.body?.cancel() : undefined)).catch(() => {})
    const response = await unlessAborted(signal, answered)
    reader = response.body?.getReader()
    const failed = { provider, response, reader, redact }
    if (!response.ok) throw await unlessAborted(signal, responseError(failed))
    yield []

    let frames: SseFrame[] = []
    const parser = createParser({
      maxBufferSize: MAX_EVENT,
      onEvent: (frame) => frames.push(frame),
      onError: ({ type }) => {
        if (type !== 'max-buffer-size-exceeded') return
        const message = `${provider} sent an event longer than ${MAX_EVENT} characters`
        throw new ProviderError('provider.protocol', message, { sentOutput })
      },
    })
    const decoder = new TextDecoder()
    /** The first read that holds more than blanks. */
    let start = ''
    while (reader) {
      const { done, value } = await reader.read()
      signal.throwIfAborted()
      if (done) break
      const text = decoder.decode(value, { stream: true })
      if (start === '' && text.trim() !== '') {
        start = text
        if (/^\s*[{<[]/.test(start)) {
          throw await unlessAborted(signal, responseError({ ...failed, start, decoder }))
        }
      }
      frames = []
      parser.feed(text)
      sentOutput ||= frames.length > 0
      if (isLast !== undefined && frames.some(isLast)) {
        complete = true
        linger(reader)
        yield frames
        return
      }
      yield frames
    }
    frames = []
    parser.feed(`${decoder.decode()}\n\n`)
    const isOther = !(response.headers.get('content-type') ?? 'text/event-stream').includes('text/event-stream')
    if (isOther && start !== '' && !sentOutput && frames.length === 0) {
      throw await unlessAborted(signal, responseError({ ...failed, start, decoder }))
    }
    if (frames.length > 0) yield frames.map((frame) => ({ ...frame, cut: true as const }))
    complete = true
  } catch (thrown) {
    if (signal.aborted) throw signal.reason
    if (thrown instanceof ProviderError) throw thrown
    const at = { provider, sentOutput, origin: url.origin, afterHeaders: reader !== undefined }
    const explain = async () => (await import('./rare.ts')).connectionError(thrown, at)
    throw await unlessAborted(signal, explained({ provider, sentOutput, cause: thrown }, explain))
  } finally {
    signal.removeEventListener('abort', close)
    if (!complete) close()
  }
}

function usableUrl(address: string): URL | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined
  return url && /^https?:$/.test(url.protocol) && !url.username && !url.password ? url : undefined
}

/** Gives the name of the first header that cannot be sent. */
function addHeaders(headers: Headers, added: Readonly<Record<string, string>>): string | undefined {
  for (const [name, value] of Object.entries(added)) {
    try {
      headers.set(name, value)
    } catch {
      return name
    }
  }
  return undefined
}

/** Reads off what a server still sends after the last frame, so that its connection can be used again. */
export function linger(reader: ReadableStreamDefaultReader<unknown>): void {
  const close = () => reader.cancel().catch(() => {})
  const timer = setTimeout(close, LINGER)
  reader
    .read()
    .then(({ done }) => (done ? undefined : close()))
    .catch(() => {})
    .finally(() => clearTimeout(timer))
}

async function responseError(failed: FailedResponse): Promise<ProviderError> {
  return (await import('./rare.ts')).responseError(failed)
}
