import { type HeaderSource, joinUrl, requestHeaders, unlessAborted } from '../endpoint.ts'
import { postStream } from '../http.ts'
import type { ModelCapabilities, ModelEvent, ModelProvider, ModelRequest } from '../provider.ts'
import { translated } from '../translated.ts'
import { wireNames } from '../wire-names.ts'
import { RESPONSES_API } from './provider-tools.ts'
import { ignoredSettings, responsesBody } from './request.ts'
import { isLastFrame, ResponseStream } from './stream.ts'

export { codeInterpreter, fileSearch, imageGeneration, mcp, providerTool, webSearch } from './provider-tools.ts'

export interface OpenAIResponsesOptions {
  /** Default `https://api.openai.com/v1`; `/responses` is appended. */
  readonly baseURL?: string
  /** Default: the environment variable `OPENAI_API_KEY`, which only OpenAI itself is sent. */
  readonly apiKey?: string
  /** Sent with every request; a function is asked before each one. */
  readonly headers?: HeaderSource
  readonly fetch?: typeof fetch
  readonly capabilities?: ModelCapabilities
}

const BASE_URL = 'https://api.openai.com/v1'

/**
 * A model behind the Responses API, of OpenAI or of anyone who speaks it (xAI, LM Studio, vLLM). Nothing is stored at
 * the provider. `settings.stop` and `settings.seed` have no counterpart here.
 */
export function openaiResponses(model: string, options: OpenAIResponsesOptions = {}): ModelProvider {
  const { baseURL = BASE_URL, apiKey, headers } = options
  const official = baseURL === BASE_URL
  const id = official ? 'openai' : hostOf(baseURL)
  const provider = { id, model, api: RESPONSES_API, capabilities: options.capabilities ?? {} }
  const credentials = {
    provider: id,
    apiKey,
    keyVariable: official ? 'OPENAI_API_KEY' : undefined,
    keyHeader: (key: string) => ['authorization', `Bearer ${key}`] as const,
    headers,
  }

  async function* stream(
    request: ModelRequest,
    { signal }: { readonly signal: AbortSignal },
  ): AsyncGenerator<readonly ModelEvent[]> {
    const names = wireNames(request.tools.filter((tool) => tool.type === 'function').map((tool) => tool.name))
    const [given, body] = await unlessAborted(
      signal,
      Promise.all([requestHeaders(credentials), responsesBody(request, { provider, names })]),
    )
    const ignored = ignoredSettings(request.settings)
    if (ignored.length > 0) yield ignored
    const reads = postStream({
      fetch: options.fetch ?? globalThis.fetch,
      url: joinUrl(baseURL, '/responses'),
      headers: given,
      body,
      signal,
      provider: id,
      isLast: isLastFrame,
    })
    yield* translated(reads, new ResponseStream(id, names))
  }

  return { ...provider, stream }
}

/** Sealed thoughts of one vendor are not for another: the host tells them apart. */
function hostOf(baseURL: string): string {
  return URL.canParse(baseURL) ? new URL(baseURL).host : 'openai'
}
