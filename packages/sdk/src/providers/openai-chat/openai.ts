import { bearer, joinUrl } from '../endpoint.ts'
import { type HttpOptions, httpProvider } from '../http-provider.ts'
import type { ModelProvider } from '../provider.ts'
import { WireHistory } from '../wire-history.ts'
import { endpointAt, type QuirksOption } from './quirks.ts'
import { chatRequest } from './request.ts'
import { chatStream } from './stream.ts'

export interface OpenAIOptions extends HttpOptions {
  /** Where the API lives, up to and without `/chat/completions`. Default: OpenAI's own. */
  readonly baseURL?: string
  /** Default: the vendor's environment variable (`OPENAI_API_KEY` for OpenAI itself), which no other host gets. */
  readonly apiKey?: string
  /** For endpoints the base URL does not tell: whom they behave like, or single quirks. */
  readonly quirks?: QuirksOption
}

const OPENAI = 'https://api.openai.com/v1'

/**
 * A model behind Chat Completions: OpenAI's, or that of any endpoint that speaks its API.
 *
 *     openai('deepseek-chat', { baseURL: 'https://api.deepseek.com/v1' })
 *
 * Nothing is read or checked before the first request, which throws `config.missing-key` without a key where one is needed.
 */
export function openai(model: string, options: OpenAIOptions = {}): ModelProvider {
  const { baseURL = OPENAI, apiKey, capabilities = {} } = options
  const endpoint = endpointAt(baseURL, options.quirks)
  const target = { id: options.id ?? endpoint.id, model, api: 'openai-chat', capabilities }
  const history = new WireHistory()
  return httpProvider(target, options, async () => {
    const quirks = await endpoint.quirks()
    return {
      url: joinUrl(baseURL, '/chat/completions'),
      apiKey,
      keyVariable: quirks.keyVariable,
      keyHeader: quirks.keyHeader === 'api-key' ? (key) => ['api-key', key] : bearer,
      prepare: (request, names) => chatRequest(request, { target, names, quirks, history }),
      reply: (names) => chatStream(target.id, names, quirks),
    }
  })
}
