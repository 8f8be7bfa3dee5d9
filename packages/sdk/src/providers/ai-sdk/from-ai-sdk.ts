import type { Target } from '../http-provider.ts'
import type { ModelCapabilities, ModelEvent, ModelProvider, ModelRequest } from '../provider.ts'
import { translated } from '../translated.ts'
import { wireNames } from '../wire-names.ts'
import { openCall } from './call.ts'
import { DIALECTS } from './dialect.ts'
import type { SentMedia } from './files.ts'
import { type AISDKModel, checkModel } from './model.ts'
import { AI_SDK_API } from './provider-tool.ts'
import { callOptions } from './request.ts'
import { ReplyStream } from './stream.ts'

export interface FromAISDKOptions {
  readonly capabilities?: ModelCapabilities
}

/**
 * Any language model of an AI SDK provider package (specification 2, 3 or 4) as a model of an agent. What the provider
 * attaches to a reply (signatures, sealed thoughts, ids) goes back to the same model. `settings.extra` is what the AI SDK
 * calls `providerOptions`.
 *
 * Throws `config.invalid` for anything that is no such model.
 */
export function fromAISDK(model: AISDKModel, options: FromAISDKOptions = {}): ModelProvider {
  checkModel(model)
  const { capabilities = {} } = options
  const target: Target = { id: model.provider, model: model.modelId, api: AI_SDK_API, capabilities }
  const dialect = DIALECTS[model.specificationVersion]

  async function* stream(
    request: ModelRequest,
    { signal }: { readonly signal: AbortSignal },
  ): AsyncGenerator<readonly ModelEvent[]> {
    signal.throwIfAborted()
    // A model says nothing before the first words of its reply, so nobody sees when the connection stands: the time for
    // connecting is not limited here, only the time for those words.
    yield []
    const names = wireNames(request.tools.flatMap((tool) => (tool.type === 'function' ? [tool.name] : [])))
    const prepare = async (media: SentMedia) => {
      const bytes: ModelRequest['bytes'] = (ref) => request.bytes(ref)
      return callOptions(request, { target, names, dialect, media, bytes, urls: (await model.supportedUrls) ?? {} })
    }
    const reply = new ReplyStream(target.id, names)
    const call = await openCall({ model, prepare, signal })
    try {
      yield* translated(target, async () => ({ ...call, translator: reply }))
    } finally {
      call.close()
    }
  }

  return { ...target, stream }
}
