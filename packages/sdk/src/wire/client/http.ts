import { errorInfo, errorOf } from '../../protocol/errors.ts'
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
  readonly body?: BodyInit
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
  /** The JSON of the answer to what may be repeated: it is, while that may help. */
  fetchJson(request: WireRequest): Promise<unknown>
  /** `fetchJson` with a body that is JSON. */
  ask(method: Method, path: string, body?: unknown): Promise<unknown>
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
    const { path, type = JSON_TYPE, accept = JSON_TYPE, ...init } = request
    const headers = new Headers(await options.headers?.())
    headers.set('accept', accept)
    if (init.body) headers.set('content-type', type)
    try {
      return await (options.fetch ?? fetch)(root + path, { ...init, headers, cache: 'no-store' })
    } catch (cause) {
      init.signal?.throwIfAborted()
      throw unreachable(cause)
    }
  }

  async function send(request: WireRequest): Promise<Response> {
    let response = await fetched(request)
    if (response.status === 401 && options.headers) {
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

  const fetchJson: Http['fetchJson'] = (request) =>
    persist(async () => {
      const response = await send(request)
      const text = await response.text().catch(unanswered)
      const json = text === '' ? null : parsed(text)
      if (json === undefined) {
        throw errorOf('wire.protocol', 'The answer is no JSON.', { details: { start: text.slice(0, 200) } })
      }
      return json
    })

  return {
    environment,
    send,
    backOff,
    frames: (path, signal, onOpen) => readFrames(send, environment, silenceMs, path, signal, onOpen),
    fetchJson,
    ask: (method, path, body) => fetchJson({ method, path, body: JSON.stringify(body) }),
    late: (load) => persist(() => load().catch(unanswered)),
  }
}

function unanswered(cause: unknown): never {
  throw unreachable(cause)
}
