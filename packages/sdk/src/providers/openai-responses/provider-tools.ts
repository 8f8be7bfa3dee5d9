import type { JsonObject } from '../../protocol/json.ts'
import type { ProviderTool } from '../provider.ts'

/** The API these tools are sent to; every other one never hears of them. */
export const RESPONSES_API = 'openai-responses'

/** A tool that the provider runs, by its type, for instance `providerTool('x_search')`. `config` is sent as it is. */
export function providerTool(type: string, config: JsonObject = {}): ProviderTool {
  return { type: 'provider', api: RESPONSES_API, name: type, config: { ...config, type } }
}

/** Searches the web, with sources. */
export function webSearch(options: { readonly allowedDomains?: readonly string[] } = {}): ProviderTool {
  const { allowedDomains } = options
  return providerTool('web_search', allowedDomains ? { filters: { allowed_domains: allowedDomains } } : {})
}

/** Searches files that were uploaded to the provider's vector stores. */
export function fileSearch(options: { readonly vectorStoreIds: readonly string[] }): ProviderTool {
  return providerTool('file_search', { vector_store_ids: options.vectorStoreIds })
}

/** Runs Python in a sandbox at the provider. */
export function codeInterpreter(): ProviderTool {
  return providerTool('code_interpreter', { container: { type: 'auto' } })
}

/** Draws pictures, which become files of the reply. */
export function imageGeneration(): ProviderTool {
  return providerTool('image_generation')
}

/** Calls the tools of a remote MCP server without asking first. */
export function mcp(options: { readonly label: string; readonly url: string }): ProviderTool {
  return providerTool('mcp', { server_label: options.label, server_url: options.url, require_approval: 'never' })
}
