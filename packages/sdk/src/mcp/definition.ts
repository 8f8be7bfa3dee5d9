import { type Tool as McpTool, ToolSchema } from '@modelcontextprotocol/sdk/types.js'
import { sha256Of } from '../stores/sha256.ts'

/** A tool as its server describes it. */
export type McpToolDefinition = McpTool

/** Reads one entry of a server's list. Gives why it cannot be used, or undefined where it is nothing at all. */
export function readDefinition(
  entry: unknown,
): McpToolDefinition | { readonly name: string; readonly problem: string } {
  const { success, data, error } = ToolSchema.safeParse(entry)
  if (!success) {
    const name = typeof entry === 'object' && entry !== null && 'name' in entry ? String(entry.name) : '?'
    const [issue] = error.issues
    return { name, problem: `its definition is invalid at "${issue?.path.join('.')}": ${issue?.message}` }
  }
  if (data.execution?.taskSupport === 'required') {
    return { name: data.name, problem: 'it runs only as a task, which is not supported' }
  }
  return data
}

/** A hash of all that a model or a person is told of a tool, and of what it says it does. */
export function fingerprintOf(definition: McpToolDefinition): Promise<string> {
  const { name, title, description, inputSchema, annotations } = definition
  const told = canonical({ name, title, description, inputSchema, annotations })
  return sha256Of(new TextEncoder().encode(JSON.stringify(told)))
}

/** The order of keys means nothing. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, item]) => [key, canonical(item)] as const)
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}
