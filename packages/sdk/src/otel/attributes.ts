import type { Attributes } from '@opentelemetry/api'
import type { StopReason } from '../protocol/events.ts'
import type { ModelRef } from '../protocol/messages.ts'
import { totalTokens, type Usage } from '../protocol/usage.ts'

// Names of the GenAI semantic conventions. What they have no word for is under `stepwell.`.

export const OPERATION = 'gen_ai.operation.name'
const PROVIDER = 'gen_ai.provider.name'
const REQUEST_MODEL = 'gen_ai.request.model'
export const RESPONSE_MODEL = 'gen_ai.response.model'
export const AGENT_NAME = 'gen_ai.agent.name'
export const CONVERSATION = 'gen_ai.conversation.id'
export const TOOL_NAME = 'gen_ai.tool.name'
export const ERROR_TYPE = 'error.type'
/** What an error is called whose code is not known. */
export const OTHER_ERROR = '_OTHER'

/** Ids of our providers whose well-known names are others. */
const PROVIDERS: Readonly<Record<string, string>> = {
  azure: 'azure.ai.openai',
  gemini: 'gcp.gemini',
  google: 'gcp.gemini',
  mistral: 'mistral_ai',
  moonshot: 'moonshot_ai',
  xai: 'x_ai',
}

/** Of a model that is asked: on spans and on metrics. */
export function modelAttributes({ provider, model }: ModelRef): Attributes {
  return { [PROVIDER]: PROVIDERS[provider] ?? provider, [REQUEST_MODEL]: model }
}

const STOPS: Partial<Record<StopReason, string>> = { 'tool-calls': 'tool_call', 'content-filter': 'content_filter' }

export function finishReason(stop: StopReason): string {
  return STOPS[stop] ?? stop
}

/** All input, cached input included; undefined when it is not known. */
export function inputTokens({ inputTokens: uncached, cacheReadTokens, cacheWriteTokens }: Usage): number | undefined {
  return uncached === undefined ? undefined : uncached + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0)
}

export function usageAttributes(usage: Usage): Attributes {
  const { outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens, cost, estimated } = usage
  const input = inputTokens(usage)
  const total = input === undefined ? totalTokens(usage) : undefined
  return {
    ...(input !== undefined && { 'gen_ai.usage.input_tokens': input }),
    ...(outputTokens !== undefined && { 'gen_ai.usage.output_tokens': outputTokens }),
    ...(cacheReadTokens !== undefined && { 'gen_ai.usage.cache_read.input_tokens': cacheReadTokens }),
    ...(cacheWriteTokens !== undefined && { 'gen_ai.usage.cache_creation.input_tokens': cacheWriteTokens }),
    ...(reasoningTokens !== undefined && { 'gen_ai.usage.reasoning.output_tokens': reasoningTokens }),
    // Reported alone by providers that do not say how it splits.
    ...(total !== undefined && { 'stepwell.usage.total_tokens': total }),
    ...(cost && { 'stepwell.usage.cost': cost.amount, 'stepwell.usage.currency': cost.currency }),
    ...(estimated && { 'stepwell.usage.estimated': true }),
  }
}
