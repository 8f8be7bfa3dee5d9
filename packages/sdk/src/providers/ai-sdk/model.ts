import { ConfigError } from '../../protocol/errors.ts'
import type { StreamPart } from './stream-part.ts'

/** By media type (`image/*`, `*`): the addresses a model fetches itself. */
export type SupportedUrls = Readonly<Record<string, readonly RegExp[]>>

/**
 * A language model of an AI SDK provider package, for instance `openai('gpt-5.2')` of `@ai-sdk/openai`: as much of its
 * specification, version 2, 3 or 4, as is used here.
 */
export interface AISDKModel {
  readonly specificationVersion: 'v2' | 'v3' | 'v4'
  /** For instance `openai.responses`. */
  readonly provider: string
  readonly modelId: string
  readonly supportedUrls: SupportedUrls | PromiseLike<SupportedUrls>
  /** Given `CallOptions`, which suit every version; `never` lets every version's own type through. */
  doStream(options: never): PromiseLike<StreamResult>
}

interface StreamResult {
  readonly stream: ReadableStream<unknown>
  readonly response?: { readonly headers?: Readonly<Record<string, string | undefined>> | undefined } | undefined
}

/** What `doStream` gives, with its parts by their names. */
export interface ModelStream {
  readonly stream: ReadableStream<StreamPart>
  readonly contentType: string
}

const VERSIONS = ['v2', 'v3', 'v4']

/** Throws `config.invalid` for everything that is no language model of a known version, and says what it is instead. */
export function checkModel(model: AISDKModel): void {
  const problem = problemWith(model)
  if (problem !== undefined) throw new ConfigError('config.invalid', `fromAISDK takes a language model. ${problem}`)
}

function problemWith(model: unknown): string | undefined {
  if (typeof model === 'string') {
    return `${JSON.stringify(model)} is a name: give the model, for instance openai(${JSON.stringify(model)}) of @ai-sdk/openai.`
  }
  if (typeof model === 'function') return 'This is a function: call it with the name of a model.'
  if (typeof model !== 'object' || model === null) return `This is ${model === null ? 'null' : typeof model}.`
  const { specificationVersion: version, doStream, provider, modelId } = model as Partial<AISDKModel>
  if (typeof doStream !== 'function') {
    const other = 'doEmbed' in model ? 'an embedding model' : 'something else: it has no doStream'
    return `This is ${other}.`
  }
  if (!VERSIONS.includes(String(version))) {
    return `Versions ${VERSIONS.join(', ')} of its specification are known; this one has ${version ?? 'none'}.`
  }
  return typeof provider === 'string' && typeof modelId === 'string'
    ? undefined
    : 'This one has no provider or modelId.'
}
