import { ConfigError } from '../../protocol/errors.ts'
import { type JsonObject, normalise } from '../../protocol/json.ts'
import type { ProviderTool } from '../provider.ts'

/** The API of every model of the AI SDK. */
export const AI_SDK_API = 'ai-sdk'

/** A tool of the AI SDK, of which only those of providers have `id` and `args`. */
export interface AISDKTool {
  readonly type?: string | undefined
  readonly id?: string | undefined
  readonly args?: Readonly<Record<string, unknown>> | undefined
}

/**
 * A tool that an AI SDK provider runs itself, under a name of your choice, which becomes its name in the history:
 * `providerTool('web_search', openai.tools.webSearch({}))`. Only models of `fromAISDK` are offered it, and only that
 * provider's know what to do with it.
 *
 * Throws `config.invalid` for a tool that is no provider's: those are made with `defineTool`.
 */
export function providerTool(name: string, { id, args = {} }: AISDKTool): ProviderTool {
  if (typeof id !== 'string') {
    const message = `providerTool takes a tool that a provider runs. Make ${JSON.stringify(name)} with defineTool`
    throw new ConfigError('config.invalid', message)
  }
  return { type: 'provider', api: AI_SDK_API, name, config: { id, args: normalise(args) as JsonObject } }
}
