import { createParser } from 'eventsource-parser'
import { ProviderError } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/json.ts'
import { untilAborted } from './endpoint.ts'
import { explained } from './explained.ts'
import type { SseFrame } from './frames.ts'

export interface StreamRequest {
  readonly fetch: typeof fetch
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Normalised. */
  readonly body: JsonObject
  readonly signal: AbortSignal
  /** The provider's id, for errors. */
  readonly provider: string
}

/** How long a server may keep its connection after it was left before it is closed, in ms. */
const LINGER = 1000
/** Longest event a server may send, in characters. */
const MAX_EVENT = 32 * 1024 * 1024

/**
 * Posts JSON and calls `onFrame`, which may not throw, with each server-sent event of the answer as it is read. Yields as
 * soon as the headers came, and after each network read but the last.
 *
 * Throws `config.invalid` for an address or header that cannot be used, a `ProviderError` for every failure on the way,
 * and the signal's reason when it is aborted. Whoever leaves before the end has seen the last frame that counts: what is
 * left of the body is read off in the background for a moment, so that the connection can be used again. Whichever way
 * it ends, the connection is closed and no listener is left on the signal.
 */
export async function* postStream(request: StreamRequest, onFrame: (frame: SseFrame) => void): AsyncGenerator<void> {
  // Taken out of the object: browsers refuse a fetch that is called as somebody's method.
  const { fetch, url, headers, provider, signal } = request
  // fetch keeps its listener on a signal until it is collected, so it gets one of its own.
  const connection = new AbortController()
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  const close = () => {
    reader?.cancel().catch(() => {})
    connection.abort()
  }
  signal.addEventListener('abort', close)

  let sentOutput = false
  try {
    signal.throwIfAborted()
    const { protocol, username, password } = new URL(url)
    if (username || password || !/^https?:$/.test(protocol)) throw new TypeError('This address cannot be used')
    const answered = fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers },
      body: JSON.stringify(request.body),
      signal: connection.signal,
      // A redirect would carry keys in headers of their own (x-api-key) to another origin, and turn most POSTs into GETs.
      redirect: 'manual',
    })
    answered.then((late) => (signal.aborted ? late.body?.cancel() : undefined)).catch(() => {})
    const response = await untilAborted(signal, answered)
    reader = response.body?.getReader()
    const decoder = new TextDecoder()
    /** The first read that holds more than blanks. */
    let start = ''
    let isStream = response.ok
    let isOver = !isStream
    if (isStream) yield

    const parser = createParser({
      maxBufferSize: MAX_EVENT,
      onEvent(frame) {
        sentOutput = true
        onFrame(isOver ? { ...frame, cut: true } : frame)
      },
      onError: ({ type }) => {
        if (type !== 'max-buffer-size-exceeded') return
        const message = `${provider} sent an event longer than ${MAX_EVENT} characters`
        throw new ProviderError('provider.protocol', message, { sentOutput })
      },
    })
    while (!isOver) {
      const read = await reader?.read()
      signal.throwIfAborted()
      isOver = read?.value === undefined
      const text = isOver ? `${decoder.decode()}\n\n` : decoder.decode(read?.value, { stream: true })
      if (start === '' && text.trim() !== '') start = text
      parser.feed(text)
      if (/^\s*[{<[]/.test(start)) isStream = false
      if (isOver && start !== '' && !sentOutput && !isEventStream(response)) isStream = false
      if (!isStream) break
      if (!isOver) yield
    }
    if (!isStream) {
      const failed = { provider, response, reader, headers, start, decoder }
      throw await untilAborted(
        signal,
        import('./rare.ts').then(({ responseError }) => responseError(failed)),
      )
    }
  } catch (thrown) {
    close()
    if (signal.aborted) throw signal.reason
    if (thrown instanceof ProviderError) throw thrown
    const at = { provider, sentOutput, url, headers, afterHeaders: reader !== undefined }
    const explain = async () => (await import('./rare.ts')).requestError(thrown, at)
    // What refuses a header quotes it, so it is no cause that may be told.
    throw await untilAborted(signal, explained({ provider, sentOutput, cause: reader && thrown }, explain))
  } finally {
    signal.removeEventListener('abort', close)
    if (reader) linger(reader)
  }
}

function isEventStream({ headers }: Response): boolean {
  return (headers.get('content-type') ?? 'text/event-stream').includes('text/event-stream')
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
