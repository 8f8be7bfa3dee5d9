import { StepwellError, WireError } from '../../protocol/errors.ts'
import type { JsonValue } from '../../protocol/json.ts'
import { backoffMs, type Environment, pause } from './environment.ts'
import { parsed, responseError } from './errors.ts'

/** Tries of a request whose answer did not come: 15 s in all. */
const TRIES = 6

export interface WireRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Below the mount path, encoded already. */
  readonly path: string
  readonly json?: unknown
  readonly bytes?: { readonly body: Uint8Array; readonly mediaType: string }
  readonly accept?: string
  readonly signal?: AbortSignal
}

export interface HttpOptions {
  readonly url: string
  readonly headers: (() => HeadersInit | Promise<HeadersInit>) | undefined
  readonly fetch: typeof fetch | undefined
  readonly environment: Environment
}

/** Requests to one server. Headers are read at every call. */
export class Http {
  readonly #options: HttpOptions
  readonly #url: string

  constructor(options: HttpOptions) {
    this.#options = options
    this.#url = options.url.replace(/\/+$/, '')
  }

  /**
   * One request; after a 401 once more, with headers read anew. Rejects with the server's error in its class,
   * `wire.unreachable` when there was no answer, and the signal's reason.
   */
  async send(request: WireRequest): Promise<Response> {
    let response = await this.#fetch(request)
    if (response.status === 401 && this.#options.headers !== undefined) {
      await response.body?.cancel()
      response = await this.#fetch(request)
    }
    if (!response.ok) throw await responseError(response)
    return response
  }

  /** `send`, again and again while that may help. Only for what may be repeated. Gives the answer's JSON. */
  async ask(request: WireRequest): Promise<JsonValue> {
    for (let failures = 1; ; failures++) {
      try {
        return await this.#json(await this.send(request))
      } catch (thrown) {
        if (!isPassing(thrown) || failures >= TRIES) throw thrown
        const { environment } = this.#options
        await pause(environment, backoffMs(failures, environment.random), request.signal)
        request.signal?.throwIfAborted()
      }
    }
  }

  async #json(response: Response): Promise<JsonValue> {
    const text = await response.text().catch((cause) => {
      throw unreachable(cause)
    })
    const json = text === '' ? null : parsed(text)
    if (json === undefined)
      throw new WireError('wire.protocol', 'The answer is no JSON.', { details: { start: text.slice(0, 200) } })
    return json
  }

  async #fetch({ method, path, json, bytes, accept = 'application/json', signal }: WireRequest): Promise<Response> {
    const { headers: read, fetch = globalThis.fetch } = this.#options
    const headers = new Headers(await read?.())
    headers.set('accept', accept)
    if (json !== undefined) headers.set('content-type', 'application/json')
    if (bytes !== undefined) headers.set('content-type', bytes.mediaType)
    const body =
      bytes === undefined ? json !== undefined && JSON.stringify(json) : (bytes.body as Uint8Array<ArrayBuffer>)
    try {
      return await fetch(this.#url + path, {
        method,
        headers,
        cache: 'no-store',
        ...(body !== false && { body }),
        ...(signal && { signal }),
      })
    } catch (cause) {
      signal?.throwIfAborted()
      throw unreachable(cause)
    }
  }
}

/** Whether the same request may succeed later: there was no answer, or the server could not. */
function isPassing(thrown: unknown): boolean {
  return thrown instanceof StepwellError && thrown.retryable && /^(wire|store|internal)/.test(thrown.code)
}

export function unreachable(cause: unknown): WireError {
  return new WireError('wire.unreachable', 'The server gave no answer.', { retryable: true, cause })
}
