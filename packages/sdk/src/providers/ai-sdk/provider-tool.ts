import { type JsonObject, normalise } from '../../protocol/json.ts'
import type { ProviderTool } from '../provider.ts'

/** The API of every model of the AI SDK. */
export const AI_SDK_API = 'ai-sdk'

/**
 * A tool of an AI SDK provider that the provider itself runs, under a name of your choice:
 * `providerTool('web_search', openai.tools.webSearch({}))`. Only models of `fromAISDK` are offered it, and only that
 * provider's know what to do with it.
 */
export function providerTool(
  name: string,
  { id, args }: { readonly id: string; readonly args: Readonly<Record<string, unknown>> },
): ProviderTool {
  return { type: 'provider', api: AI_SDK_API, name, config: { id, args: normalise(args) as JsonObject } }
}
