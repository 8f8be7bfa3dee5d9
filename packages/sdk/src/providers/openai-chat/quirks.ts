import { hostOf } from '../endpoint.ts'
import { CALL_IDS, type CallIdRule, NINE_CHARACTER_IDS } from '../wire-ids.ts'

/** Where one Chat Completions endpoint differs from another. The stream and request code knows no vendors, only these. */
export interface Quirks {
  readonly systemRole: 'system' | 'developer'
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens'
  /** Whether `stream_options.include_usage` is sent. Endpoints that refuse it report usage unasked, or never. */
  readonly streamUsage: boolean
  /** How the wanted amount of reasoning is said. `none`: not at all. */
  readonly reasoning: 'reasoning_effort' | 'reasoning' | 'enable_thinking' | 'thinking' | 'none'
  /** What an assistant message must carry back of its reasoning. */
  readonly reasoningBack: 'reasoning_content' | 'reasoning_details' | 'none'
  readonly callIds: CallIdRule
  readonly seedField: 'seed' | 'random_seed'
  /** How JSON of a schema is asked for. Where it is not by `json_schema`, the schema goes into the instructions. */
  readonly output: 'json_schema' | 'json_object' | 'none'
  /** Whether the session's id is sent as `prompt_cache_key`. */
  readonly cacheKey: boolean
  readonly keyHeader: 'authorization' | 'api-key'
  /** The environment variable with the key. Present: the endpoint needs one. */
  readonly keyVariable?: string
  /** A usage field with the price of the call, and what one unit of it is worth in USD. */
  readonly cost?: { readonly field: string; readonly usd: number }
}

const COMPATIBLE: Quirks = {
  systemRole: 'system',
  maxTokensField: 'max_tokens',
  streamUsage: true,
  reasoning: 'reasoning_effort',
  reasoningBack: 'none',
  callIds: CALL_IDS,
  seedField: 'seed',
  output: 'json_schema',
  cacheKey: false,
  keyHeader: 'authorization',
}

interface Vendor {
  /** The end of its host name. */
  readonly hosts: readonly string[]
  readonly quirks: Partial<Quirks>
}

const VENDORS = {
  openai: {
    hosts: ['api.openai.com'],
    quirks: { maxTokensField: 'max_completion_tokens', cacheKey: true, keyVariable: 'OPENAI_API_KEY' },
  },
  azure: {
    hosts: ['.openai.azure.com', '.services.ai.azure.com', '.cognitiveservices.azure.com'],
    quirks: { maxTokensField: 'max_completion_tokens', keyHeader: 'api-key', keyVariable: 'AZURE_OPENAI_API_KEY' },
  },
  deepseek: {
    hosts: ['api.deepseek.com'],
    quirks: {
      reasoning: 'thinking',
      reasoningBack: 'reasoning_content',
      output: 'json_object',
      keyVariable: 'DEEPSEEK_API_KEY',
    },
  },
  groq: {
    hosts: ['api.groq.com'],
    quirks: { maxTokensField: 'max_completion_tokens', keyVariable: 'GROQ_API_KEY' },
  },
  mistral: {
    hosts: ['api.mistral.ai'],
    quirks: {
      streamUsage: false,
      reasoning: 'none',
      callIds: NINE_CHARACTER_IDS,
      seedField: 'random_seed',
      keyVariable: 'MISTRAL_API_KEY',
    },
  },
  xai: {
    hosts: ['api.x.ai'],
    quirks: {
      maxTokensField: 'max_completion_tokens',
      keyVariable: 'XAI_API_KEY',
      cost: { field: 'cost_in_usd_ticks', usd: 1e-10 },
    },
  },
  alibaba: {
    hosts: ['dashscope.aliyuncs.com', 'dashscope-intl.aliyuncs.com', 'dashscope-us.aliyuncs.com'],
    quirks: { reasoning: 'enable_thinking', keyVariable: 'DASHSCOPE_API_KEY' },
  },
  moonshot: {
    hosts: ['api.moonshot.ai', 'api.moonshot.cn'],
    quirks: { reasoning: 'thinking', reasoningBack: 'reasoning_content', keyVariable: 'MOONSHOT_API_KEY' },
  },
  openrouter: {
    hosts: ['openrouter.ai'],
    quirks: {
      reasoning: 'reasoning',
      reasoningBack: 'reasoning_details',
      keyVariable: 'OPENROUTER_API_KEY',
      cost: { field: 'cost', usd: 1 },
    },
  },
  gemini: {
    hosts: ['generativelanguage.googleapis.com'],
    quirks: { keyVariable: 'GEMINI_API_KEY' },
  },
  compatible: { hosts: [], quirks: {} },
} as const satisfies Record<string, Vendor>

/** `compatible` is what an unknown endpoint gets: Ollama, LM Studio, vLLM, SGLang and most gateways. */
export type VendorName = keyof typeof VENDORS

/** A vendor's name, for an endpoint that behaves like it; or single quirks over what the base URL tells. */
export type QuirksOption = VendorName | Partial<Quirks>

/** The quirks of an endpoint and the id of whoever it behaves like; an unknown endpoint is known by its host. */
export function quirksOf(baseURL: string, option: QuirksOption = {}): { readonly id: string; readonly quirks: Quirks } {
  const host = hostOf(baseURL, '')
  const byHost = vendorNames.find((name) =>
    VENDORS[name].hosts.some((end) => host === end || (end[0] === '.' && host.endsWith(end))),
  )
  if (typeof option !== 'string') {
    return {
      id: byHost ?? (host || 'compatible'),
      quirks: { ...COMPATIBLE, ...VENDORS[byHost ?? 'compatible'].quirks, ...option },
    }
  }
  // Named, not recognised: whoever runs the endpoint may do without a key, and must not get another's.
  const { keyVariable, ...quirks }: Quirks = { ...COMPATIBLE, ...VENDORS[option].quirks }
  return { id: option, quirks: byHost === option && keyVariable !== undefined ? { ...quirks, keyVariable } : quirks }
}

const vendorNames = Object.keys(VENDORS) as VendorName[]
