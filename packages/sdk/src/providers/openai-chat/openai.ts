import { ProviderError } from '../../protocol/errors.ts'
import { type HeaderSource, joinUrl, requestHeaders, unlessAborted } from '../endpoint.ts'
import type { SseFrame } from '../frames.ts'
import { postStream } from '../http.ts'
import type { ModelCapabilities, ModelEvent, ModelProvider, ModelRequest } from '../provider.ts'
import { translated } from '../translated.ts'
import { wireNames } from '../wire-names.ts'
import { type Quirks, type QuirksOption, quirksOf } from './quirks.ts'
import { chatRequest } from './request.ts'
import { ChatStream, isLastFrame } from './stream.ts'

export interface OpenAIOptions {
  /** Where the API lives, up to and without `/chat/completions`. Default: OpenAI's own. */
  readonly baseURL?: string
  /** Default: the vendor's environment variable (`OPENAI_API_KEY` for OpenAI itself), which no other host gets. */
  readonly apiKey?: string
  /** Sent with every request; a function is asked before each one. */
  readonly headers?: HeaderSource
  readonly fetch?: typeof fetch
  /** For endpoints the base URL does not tell: whom they behave like, or single quirks. */
  readonly quirks?: QuirksOption
  readonly capabilities?: ModelCapabilities
  /** The provider's id in logs and errors. Default: the vendor, else the host. */
  readonly id?: string
}

const OPENAI = 'https://api.openai.com/v1'
const API = 'openai-chat'

/**
 * A model behind Chat Completions: OpenAI's, or that of any endpoint that speaks its API.
 *
 *     openai('deepseek-chat', { baseURL: 'https://api.deepseek.com/v1' })
 *
 * Nothing is read or checked before the first request, which throws `config.missing-key` without a key where one is needed.
 */
export function openai(model: string, options: OpenAIOptions = {}): ModelProvider {
  const baseURL = options.baseURL ?? OPENAI
  const vendor = quirksOf(baseURL, options.quirks)
  const { quirks } = vendor
  const target = { id: options.id ?? vendor.id, model, api: API, capabilities: options.capabilities ?? {} }
  const credentials = {
    provider: target.id,
    apiKey: options.apiKey,
    keyVariable: quirks.keyVariable,
    keyHeader: keyHeaders[quirks.keyHeader],
    headers: options.headers,
  }

  async function* stream(
    request: ModelRequest,
    { signal }: { readonly signal: AbortSignal },
  ): AsyncGenerator<readonly ModelEvent[]> {
    const names = wireNames(request.tools.flatMap((tool) => (tool.type === 'function' ? [tool.name] : [])))
    const headers = await unlessAborted(signal, requestHeaders(credentials))
    const { body, warnings } = await unlessAborted(signal, chatRequest(request, target, names, quirks))
    if (warnings.length > 0) yield warnings
    const reply = new ChatStream(target.id, names, quirks, target.capabilities.contextWindow)
    const frames = postStream({
      fetch: options.fetch ?? globalThis.fetch,
      url: joinUrl(baseURL, '/chat/completions'),
      headers,
      body,
      signal,
      provider: target.id,
      isLast: isLastFrame,
    })
    yield* translated(untilAnswered(frames, reply), reply)
  }

  return { ...target, stream }
}

const keyHeaders: Readonly<Record<Quirks['keyHeader'], (key: string) => readonly [string, string]>> = {
  authorization: (key) => ['authorization', `Bearer ${key}`],
  'api-key': (key) => ['api-key', key],
}

/** A connection that breaks after the finish reason took nothing with it but perhaps the usage. */
async function* untilAnswered(
  frames: AsyncGenerator<readonly SseFrame[]>,
  reply: ChatStream,
): AsyncGenerator<readonly SseFrame[]> {
  try {
    yield* frames
  } catch (thrown) {
    const cut = thrown instanceof ProviderError && thrown.code === 'provider.stream-truncated'
    if (!cut || !reply.answered) throw thrown
  }
}
