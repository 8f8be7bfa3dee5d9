import { ToolError } from '../protocol/errors.ts'
import type { Message } from '../protocol/messages.ts'
import type { Tool } from './tool.ts'

/** The tools of an agent by their names, in the order given. */
export type ToolSet = ReadonlyMap<string, Tool>

/** What `enabled` may look at. */
export interface ToolScope {
  readonly context: unknown
  readonly history: readonly Message[]
}

/** Throws `tool.duplicate-name` when two tools share a name. */
export function toolSet(tools: readonly Tool[]): ToolSet {
  const set = new Map<string, Tool>()
  for (const tool of tools) {
    if (set.has(tool.name)) {
      throw new ToolError('tool.duplicate-name', `Two tools are called "${tool.name}". Rename one of them.`)
    }
    set.set(tool.name, tool)
  }
  return set
}

/** Whether the model may use the tool now. An `enabled` that throws says no. */
export function isEnabled(tool: Tool, scope: ToolScope): boolean {
  try {
    return tool.enabled?.(scope) ?? true
  } catch {
    return false
  }
}
