import { hostOf } from '../endpoint.ts'
import type { NameRule } from '../legal-names.ts'
import { CALL_IDS } from '../wire-ids.ts'
import type { VendorName } from './vendors.ts'

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
  readonly callIds: NameRule
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

const OPENAI: Partial<Quirks> = {
  maxTokensField: 'max_completion_tokens',
  cacheKey: true,
  keyVariable: 'OPENAI_API_KEY',
}

const HOSTS: Readonly<Record<VendorName, RegExp>> = {
  openai: /^api\.openai\.com$/,
  azure: /\.(openai|services\.ai|cognitiveservices)\.azure\.com$/,
  deepseek: /^api\.deepseek\.com$/,
  groq: /^api\.groq\.com$/,
  mistral: /^api\.mistral\.ai$/,
  xai: /^api\.x\.ai$/,
  alibaba: /^dashscope(-intl|-us)?\.aliyuncs\.com$/,
  moonshot: /^api\.moonshot\.(ai|cn)$/,
  openrouter: /^openrouter\.ai$/,
  gemini: /^generativelanguage\.googleapis\.com$/,
  compatible: /^$/,
}

/** A vendor's name, for an endpoint that behaves like it; or single quirks over what the base URL tells. */
export type QuirksOption = VendorName | Partial<Quirks>

/** An endpoint by whom it behaves like; an unknown one is known by its host. */
interface Endpoint {
  readonly id: string
  quirks(): Promise<Quirks>
}

export function endpointAt(baseURL: string, option: QuirksOption = {}): Endpoint {
  const host = hostOf(baseURL, '')
  const byHost = vendorNames.find((name) => HOSTS[name].test(host))
  const vendor = typeof option === 'string' ? option : byHost
  return {
    id: vendor ?? host,
    async quirks() {
      const quirks = await quirksOf(vendor ?? 'compatible')
      if (typeof option !== 'string') return { ...quirks, ...option }
      // Named, not recognised: whoever runs the endpoint may do without a key, and must not get another's.
      const { keyVariable: _, ...keyless } = quirks
      return HOSTS[option].test(host) ? quirks : keyless
    },
  }
}

const vendorNames = Object.keys(HOSTS) as VendorName[]

/** What most endpoints want is here, the rest comes with the first request that needs it. */
async function quirksOf(vendor: VendorName): Promise<Quirks> {
  if (vendor === 'compatible') return COMPATIBLE
  return { ...COMPATIBLE, ...(vendor === 'openai' ? OPENAI : (await import('./vendors.ts')).VENDORS[vendor]) }
}
