import type { JsonObject } from '../protocol/json.ts'
import { type HeaderSource, type KeyHeader, requestHeaders, untilAborted } from './endpoint.ts'
import { postStream } from './http.ts'
import type { ModelCapabilities, ModelProvider, ModelRequest } from './provider.ts'
import { type Prepared, type Translator, translated } from './translated.ts'
import { type WireNames, wireNames } from './wire-names.ts'
import type { Warning } from './wire-tools.ts'

/** What every provider over HTTP can be told. */
export interface HttpOptions {
  /** Sent with every request; a function is asked before each one. */
  readonly headers?: HeaderSource
  readonly fetch?: typeof fetch
  readonly capabilities?: ModelCapabilities
  /** The provider's id in logs and errors. Opaque state goes back to this id only. Default: the vendor, else the host. */
  readonly id?: string
}

/** A model, without the way to ask it. */
export type Target = Omit<ModelProvider, 'stream'>

/** One API over HTTP: what it is sent, and how its reply is read. */
export interface HttpApi {
  readonly url: string
  readonly apiKey: string | undefined
  /** The variable that holds the key where none is given; undefined where the endpoint may need none. */
  readonly keyVariable: string | undefined
  readonly keyHeader: KeyHeader
  /** Sent with every request; given headers win. */
  readonly headers?: Readonly<Record<string, string>>
  prepare(request: ModelRequest, names: WireNames): Promise<PreparedRequest>
  reply(names: WireNames): Translator
}

export interface PreparedRequest {
  /** Normalised. */
  readonly body: JsonObject
  /** What was asked for and cannot be said to this endpoint. */
  readonly warnings: readonly Warning[]
}

/** `open` is asked before each request. */
export function httpProvider(target: Target, options: HttpOptions, open: () => Promise<HttpApi>): ModelProvider {
  async function prepare(request: ModelRequest, signal: AbortSignal): Promise<Prepared> {
    const api = await open()
    const names = wireNames(request.tools.flatMap((tool) => (tool.type === 'function' ? [tool.name] : [])))
    const credentials = { ...api, provider: target.id, headers: options.headers }
    const [headers, { body, warnings }] = await Promise.all([requestHeaders(credentials), api.prepare(request, names)])
    const { fetch = globalThis.fetch } = options
    const sent = { fetch, url: api.url, headers: { ...api.headers, ...headers }, body, signal, provider: target.id }
    return {
      translator: api.reply(names),
      warnings,
      headers: sent.headers,
      read: (onFrame) => postStream(sent, onFrame),
    }
  }

  return {
    ...target,
    stream: (request, { signal }) => translated(target, () => untilAborted(signal, prepare(request, signal))),
  }
}
