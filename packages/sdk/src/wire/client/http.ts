import { errorInfo, WireError } from '../../protocol/errors.ts'
import { parsed } from '../../protocol/parsed.ts'
import { backoffMs, type Environment, pause } from './environment.ts'
import { responseError, unreachable } from './errors.ts'
import { type Frame, readFrames } from './frames.ts'

/** Tries of a request whose answer did not come: 15 s in all. */
const TRIES = 6

const JSON_TYPE = 'application/json'

type Method = 'GET' | 'POST' | 'DELETE'

interface WireRequest {
  /** Default `GET`. */
  readonly method?: Method
  /** Below the mount path, encoded already. */
  readonly path: string
  readonly body?: BodyInit | undefined
  /** Of the body. Default JSON. */
  readonly type?: string | undefined
  /** Default JSON. */
  readonly accept?: string
  readonly signal?: AbortSignal
}

export interface HttpOptions {
  readonly url: string
  /** Read at every call. */
  readonly headers?: () => HeadersInit | Promise<HeadersInit>
  readonly fetch?: typeof fetch
}

/** Requests to one server. */
export interface Http {
  readonly environment: Environment
  /**
   * One request; after a 401 once more, with headers read anew. Rejects with the server's error in its class,
   * `wire.unreachable` when there was no answer, and the signal's reason.
   */
  send(request: WireRequest): Promise<Response>
  /**
   * `send`, again and again while that may help. Only for what may be repeated. The body is JSON unless it has a type,
   * and so is the answer.
   */
  ask(method: Method, path: string, body?: unknown, type?: string): Promise<unknown>
  /** The frames of a stream, as `readFrames` gives them. */
  frames(path: string, signal: AbortSignal, onOpen?: () => void): AsyncGenerator<readonly Frame[]>
  /** Loads a part of the client that few need, as patiently as `ask`. */
  late<Module>(load: () => Promise<Module>): Promise<Module>
  /** Waits after the `failures`th failure in a row. */
  backOff(failures: number, signal?: AbortSignal): Promise<void>
}

/** `silenceMs`: a stream that says nothing for so long is dead. */
export function createHttp(options: HttpOptions, environment: Environment, silenceMs: number): Http {
  const root = options.url.replace(/\/+$/, '')

  async function fetched(request: WireRequest): Promise<Response> {
    const { method = 'GET', path, body = null, type = JSON_TYPE, accept = JSON_TYPE, signal = null } = request
    const { headers: read, fetch = globalThis.fetch } = options
    const headers = new Headers(await read?.())
    headers.set('accept', accept)
    if (body !== null) headers.set('content-type', type)
    try {
      return await fetch(root + path, { method, headers, cache: 'no-store', body, signal })
    } catch (cause) {
      signal?.throwIfAborted()
      throw unreachable(cause)
    }
  }

  async function send(request: WireRequest): Promise<Response> {
    let response = await fetched(request)
    if (response.status === 401 && options.headers !== undefined) {
      await response.body?.cancel()
      response = await fetched(request)
    }
    if (!response.ok) throw await responseError(response)
    return response
  }

  const backOff: Http['backOff'] = (failures, signal) =>
    pause(environment, backoffMs(failures, environment.random), signal)

  async function persist<T>(attempt: () => Promise<T>): Promise<T> {
    for (let failures = 1; ; failures++) {
      try {
        return await attempt()
      } catch (thrown) {
        if (!errorInfo(thrown).retryable || failures >= TRIES) throw thrown
        await backOff(failures)
      }
    }
  }

  return {
    environment,
    send,
    backOff,
    frames: (path, signal, onOpen) => readFrames(send, environment, silenceMs, path, signal, onOpen),
    ask: (method, path, body, type) =>
      persist(async () => {
        const sent = type === undefined ? JSON.stringify(body) : (body as BodyInit)
        const response = await send({ method, path, body: sent, type })
        const text = await response.text().catch(unanswered)
        const json = text === '' ? null : parsed(text)
        if (json === undefined) {
          throw new WireError('wire.protocol', 'The answer is no JSON.', { details: { start: text.slice(0, 200) } })
        }
        return json
      }),
    late: (load) => persist(() => load().catch(unanswered)),
  }
}

function unanswered(cause: unknown): never {
  throw unreachable(cause)
}
