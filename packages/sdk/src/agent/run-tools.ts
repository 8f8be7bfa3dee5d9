import type { ProviderTool } from '../providers/provider.ts'
import type { Tool } from '../tools/tool.ts'
import { toolSet } from '../tools/tool-set.ts'
import { checkTools } from './check-options.ts'
import type { AgentTools, RunTools } from './runtime.ts'

/** Throws `config.invalid` for what is no list of tools, and `tool.duplicate-name`. */
function runTools(tools: AgentTools): RunTools {
  checkTools(tools)
  const isProviderTool = (tool: Tool | ProviderTool): tool is ProviderTool => 'type' in tool && tool.type === 'provider'
  return {
    own: toolSet(tools.filter((tool): tool is Tool => !isProviderTool(tool))),
    provider: tools.filter(isProviderTool),
  }
}

/** A list is read once, a function for each run. */
export function toolsForRuns(tools: AgentTools | (() => AgentTools)): () => RunTools {
  if (typeof tools === 'function') return () => runTools(tools())
  const fixed = runTools(tools)
  return () => fixed
}
