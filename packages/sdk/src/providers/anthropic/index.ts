import { type HeaderSource, joinUrl, requestHeaders, unlessAborted } from '../endpoint.ts'
import { postStream } from '../http.ts'
import type { ModelCapabilities, ModelEvent, ModelProvider, ModelRequest } from '../provider.ts'
import { translated } from '../translated.ts'
import { wireNames } from '../wire-names.ts'
import { ANTHROPIC_API } from './provider-tools.ts'
import { type CacheSetting, messagesRequest } from './request.ts'
import { isLastFrame, MessagesStream } from './stream.ts'

export { codeExecution, serverTool, type WebSearchOptions, webFetch, webSearch } from './provider-tools.ts'

export interface AnthropicOptions {
  /** Default `https://api.anthropic.com/v1`; `/messages` is appended. */
  readonly baseURL?: string
  /** Default: the environment variable `ANTHROPIC_API_KEY`. Sent as `x-api-key`. */
  readonly apiKey?: string
  /** Sent with every request, for instance `anthropic-beta`; a function is asked before each one. */
  readonly headers?: HeaderSource
  readonly fetch?: typeof fetch
  readonly capabilities?: ModelCapabilities
  /** How long the beginning of a request is cached; `false` leaves it uncached. Default `5m`. */
  readonly cache?: CacheSetting
}

const BASE_URL = 'https://api.anthropic.com/v1'
const VERSION = '2023-06-01'

/**
 * A model behind the Messages API, of Anthropic or of anyone who speaks it. `settings.reasoning` becomes a thinking
 * budget for models before 4.6 and an effort for later ones; `settings.seed` has no counterpart here.
 */
export function anthropic(model: string, options: AnthropicOptions = {}): ModelProvider {
  const { baseURL = BASE_URL, apiKey, headers, cache = '5m' } = options
  const provider = { id: 'anthropic', model, api: ANTHROPIC_API, capabilities: options.capabilities ?? {} }
  const credentials = {
    provider: provider.id,
    apiKey,
    keyVariable: baseURL === BASE_URL ? 'ANTHROPIC_API_KEY' : undefined,
    keyHeader: (key: string) => ['x-api-key', key] as const,
    headers,
  }

  async function* stream(
    request: ModelRequest,
    { signal }: { readonly signal: AbortSignal },
  ): AsyncGenerator<readonly ModelEvent[]> {
    const names = wireNames(request.tools.filter((tool) => tool.type === 'function').map((tool) => tool.name))
    const [given, { body, warnings }] = await unlessAborted(
      signal,
      Promise.all([requestHeaders(credentials), messagesRequest(request, { provider, names, cache })]),
    )
    if (warnings.length > 0) yield warnings
    const reads = postStream({
      fetch: options.fetch ?? globalThis.fetch,
      url: joinUrl(baseURL, '/messages'),
      headers: { 'anthropic-version': VERSION, ...given },
      body,
      signal,
      provider: provider.id,
      isLast: isLastFrame,
    })
    yield* translated(reads, new MessagesStream(provider.id, names))
  }

  return { ...provider, stream }
}
