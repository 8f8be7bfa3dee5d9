import type { JsonObject } from '../protocol/json.ts'
import type { FunctionTool, ModelEvent, ModelTool } from './provider.ts'

export type Warning = Extract<ModelEvent, { type: 'warning' }>

/** The tools that an API is told of: ours as it declares them, its own as they are, and none of another API. */
export function wireTools(
  tools: readonly ModelTool[],
  api: string,
  declare: (tool: FunctionTool) => JsonObject,
): JsonObject[] {
  return tools.flatMap((tool) => {
    if (tool.type === 'function') return [declare(tool)]
    return tool.api === api ? [tool.config] : []
  })
}

/** One warning that names every tool of another API. */
export function omittedTools(tools: readonly ModelTool[], api: string): Warning[] {
  const omitted = tools.flatMap((tool) => (tool.type === 'provider' && tool.api !== api ? [tool] : []))
  if (omitted.length === 0) return []
  const names = omitted.map((tool) => `${tool.name} (${tool.api})`).join(', ')
  return [{ type: 'warning', code: 'provider.tool-omitted', message: `Not offered to ${api}: ${names}` }]
}
