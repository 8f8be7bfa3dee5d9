import { bearer, hostOf, joinUrl } from '../endpoint.ts'
import { type HttpOptions, httpProvider } from '../http-provider.ts'
import type { ModelProvider } from '../provider.ts'
import { WireHistory } from '../wire-history.ts'
import { RESPONSES_API } from './provider-tools.ts'
import { responsesRequest } from './request.ts'
import { ResponseStream } from './stream.ts'

export { codeInterpreter, fileSearch, imageGeneration, mcp, providerTool, webSearch } from './provider-tools.ts'

export interface OpenAIResponsesOptions extends HttpOptions {
  /** Default `https://api.openai.com/v1`; `/responses` is appended. */
  readonly baseURL?: string
  /** Default: the environment variable `OPENAI_API_KEY`, which only OpenAI itself is sent. */
  readonly apiKey?: string
}

const OPENAI = 'https://api.openai.com/v1'

/**
 * A model behind the Responses API, of OpenAI or of anyone who speaks it (xAI, LM Studio, vLLM). Nothing is stored at
 * the provider. `settings.stop` and `settings.seed` have no counterpart here.
 */
export function openaiResponses(model: string, options: OpenAIResponsesOptions = {}): ModelProvider {
  const { baseURL = OPENAI, apiKey, capabilities = {} } = options
  const official = baseURL === OPENAI
  const id = options.id ?? (official ? 'openai' : hostOf(baseURL, 'openai'))
  const target = { id, model, api: RESPONSES_API, capabilities }
  const history = new WireHistory()
  return httpProvider(target, options, async () => ({
    url: joinUrl(baseURL, '/responses'),
    apiKey,
    keyVariable: official ? 'OPENAI_API_KEY' : undefined,
    keyHeader: bearer,
    prepare: (request, names) => responsesRequest(request, { target, names, history }),
    reply: (names) => new ResponseStream(id, names),
  }))
}
