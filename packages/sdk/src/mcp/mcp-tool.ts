import type { ToolAnnotations } from '@modelcontextprotocol/sdk/types.js'
import type { JsonObject } from '../protocol/json.ts'
import { defineTool } from '../tools/define-tool.ts'
import type { Tool, ToolContext, ToolEffect } from '../tools/tool.ts'
import type { Connection } from './connection.ts'
import type { McpToolDefinition } from './definition.ts'
import { toolName } from './names.ts'
import type { McpServer } from './options.ts'
import { readResult } from './result.ts'

export interface McpToolOptions {
  readonly name: string
  readonly server: McpServer
  readonly connection: Connection
  /** Whether a tool of this name may be used now. */
  isOffered(name: string): boolean
}

/** A server's tool as one of ours. Throws a `ToolError` where its name or schema cannot be used. */
export function mcpTool(definition: McpToolDefinition, { name, server, connection, isOffered }: McpToolOptions): Tool {
  const { name: own, description, annotations = {}, inputSchema } = definition
  const title = definition.title ?? annotations.title ?? own
  const fullName = toolName(name, own)
  const effect = effectOf(annotations)
  const operations = server.operations?.[own]
  return defineTool<JsonObject>({
    name: fullName,
    description: description ?? title,
    input: inputSchema,
    effect,
    ...(effect !== 'read' && annotations.destructiveHint !== false && { needsApproval: true }),
    ...(server.timeoutMs !== undefined && { timeoutMs: server.timeoutMs }),
    ...(operations && { operations }),
    describeEffect: () => ({ title: `${title} (${name})` }),
    enabled: () => isOffered(fullName),
    async execute(input: JsonObject, ctx: ToolContext) {
      return readResult(await connection.call(own, input, ctx), ctx)
    },
  })
}

/** What the server says about itself, and nothing else: where it says nothing the tool may change anything. */
function effectOf({ readOnlyHint, idempotentHint }: ToolAnnotations): ToolEffect {
  if (readOnlyHint) return 'read'
  return idempotentHint ? 'idempotent' : 'write'
}
