import { isObject, type JsonObject } from '../../protocol/json.ts'
import type { AssistantMessage } from '../../protocol/messages.ts'
import { NINE_CHARACTER_IDS } from '../mistral-ids.ts'
import type { Quirks } from './quirks.ts'

/** What single vendors want, beside OpenAI. */
export const VENDORS = {
  azure: { maxTokensField: 'max_completion_tokens', keyHeader: 'api-key', keyVariable: 'AZURE_OPENAI_API_KEY' },
  deepseek: {
    reasoning: 'thinking',
    reasoningBack: 'reasoning_content',
    output: 'json_object',
    keyVariable: 'DEEPSEEK_API_KEY',
  },
  groq: { maxTokensField: 'max_completion_tokens', keyVariable: 'GROQ_API_KEY' },
  mistral: {
    streamUsage: false,
    reasoning: 'none',
    callIds: NINE_CHARACTER_IDS,
    seedField: 'random_seed',
    keyVariable: 'MISTRAL_API_KEY',
  },
  xai: {
    maxTokensField: 'max_completion_tokens',
    keyVariable: 'XAI_API_KEY',
    cost: { field: 'cost_in_usd_ticks', usd: 1e-10 },
  },
  alibaba: { reasoning: 'enable_thinking', keyVariable: 'DASHSCOPE_API_KEY' },
  moonshot: { reasoning: 'thinking', reasoningBack: 'reasoning_content', keyVariable: 'MOONSHOT_API_KEY' },
  openrouter: {
    reasoning: 'reasoning',
    reasoningBack: 'reasoning_details',
    keyVariable: 'OPENROUTER_API_KEY',
    cost: { field: 'cost', usd: 1 },
  },
  gemini: { keyVariable: 'GEMINI_API_KEY' },
} as const satisfies Record<string, Partial<Quirks>>

/** `compatible` is what an unknown endpoint gets: Ollama, LM Studio, vLLM, SGLang and most gateways. */
export type VendorName = 'openai' | 'compatible' | keyof typeof VENDORS

/** What a reply takes back to its model of its reasoning. */
export function reasoningBack(message: AssistantMessage, how: Quirks['reasoningBack']): JsonObject {
  if (how === 'reasoning_content') {
    const reasoning = message.parts.map((part) => (part.type === 'reasoning' ? part.text : '')).join('')
    return reasoning === '' ? {} : { reasoning_content: reasoning }
  }
  const state = message.providerState
  return isObject(state) ? { reasoning_details: state.reasoning_details ?? [] } : {}
}
