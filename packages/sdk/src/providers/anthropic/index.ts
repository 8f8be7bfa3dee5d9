import { hostOf, joinUrl } from '../endpoint.ts'
import { type HttpOptions, httpProvider } from '../http-provider.ts'
import type { ModelProvider } from '../provider.ts'
import { WireHistory } from '../wire-history.ts'
import type { WireMessage } from './messages.ts'
import { ANTHROPIC_API } from './provider-tools.ts'
import { type CacheSetting, messagesRequest } from './request.ts'
import { MessagesStream } from './stream.ts'

export { codeExecution, serverTool, type WebSearchOptions, webFetch, webSearch } from './provider-tools.ts'

export interface AnthropicOptions extends HttpOptions {
  /** Default `https://api.anthropic.com/v1`; `/messages` is appended. */
  readonly baseURL?: string
  /** Default: the environment variable `ANTHROPIC_API_KEY`, which only Anthropic itself is sent. Sent as `x-api-key`. */
  readonly apiKey?: string
  /** How long the beginning of a request is cached; `false` leaves it uncached. Default `5m`. */
  readonly cache?: CacheSetting
}

const ANTHROPIC = 'https://api.anthropic.com/v1'
const VERSION = '2023-06-01'

/**
 * A model behind the Messages API, of Anthropic or of anyone who speaks it. `settings.reasoning` becomes a thinking
 * budget for models before 4.6 and an effort for later ones; `settings.seed` has no counterpart here.
 */
export function anthropic(model: string, options: AnthropicOptions = {}): ModelProvider {
  const { baseURL = ANTHROPIC, apiKey, capabilities = {}, cache = '5m' } = options
  const official = baseURL === ANTHROPIC
  const id = options.id ?? (official ? 'anthropic' : hostOf(baseURL, 'anthropic'))
  const target = { id, model, api: ANTHROPIC_API, capabilities }
  const history = new WireHistory<WireMessage>()
  return httpProvider(target, options, async () => ({
    url: joinUrl(baseURL, '/messages'),
    apiKey,
    keyVariable: official ? 'ANTHROPIC_API_KEY' : undefined,
    keyHeader: (key) => ['x-api-key', key],
    headers: { 'anthropic-version': VERSION },
    prepare: (request, names) => messagesRequest(request, { target, names, history, cache }),
    reply: (names) => new MessagesStream(id, names),
  }))
}
