import type { JsonObject } from '../../protocol/json.ts'
import type { ProviderTool } from '../provider.ts'

/** The API these tools are sent to; every other one never hears of them. */
export const ANTHROPIC_API = 'anthropic'

/**
 * A tool that Anthropic runs, by its versioned type, for instance `serverTool('web_fetch_20250910', 'web_fetch')`.
 * `config` is sent as it is.
 */
export function serverTool(type: string, name: string, config: JsonObject = {}): ProviderTool {
  return { type: 'provider', api: ANTHROPIC_API, name, config: { ...config, type, name } }
}

export interface WebSearchOptions {
  /** Searches in one reply. */
  readonly maxUses?: number
  /** Only these, or none of these: give one of the two. */
  readonly allowedDomains?: readonly string[]
  readonly blockedDomains?: readonly string[]
}

/** Searches the web, with sources. */
export function webSearch(options: WebSearchOptions = {}): ProviderTool {
  return serverTool('web_search_20250305', 'web_search', limits(options))
}

/** Reads pages and PDFs at addresses that stand in the conversation. */
export function webFetch(options: WebSearchOptions = {}): ProviderTool {
  return serverTool('web_fetch_20250910', 'web_fetch', limits(options))
}

/** Runs code in a sandbox at Anthropic. */
export function codeExecution(): ProviderTool {
  return serverTool('code_execution_20250825', 'code_execution')
}

function limits({ maxUses, allowedDomains, blockedDomains }: WebSearchOptions): JsonObject {
  return {
    ...(maxUses !== undefined && { max_uses: maxUses }),
    ...(allowedDomains && { allowed_domains: allowedDomains }),
    ...(blockedDomains && { blocked_domains: blockedDomains }),
  }
}
