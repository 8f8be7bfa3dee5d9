import type { McpToolDefinition } from './definition.ts'

/** What became of a connection, or of the tools a server offers. */
export type McpChange =
  | { readonly type: 'disconnected' | 'reconnected'; readonly server: string }
  /** `tools`: the names of those that may be used now. */
  | { readonly type: 'tools-changed'; readonly server: string; readonly tools: readonly string[] }
  /** `tool`: the server's own name for it. */
  | { readonly type: 'tool-left-out'; readonly server: string; readonly tool: string; readonly reason: string }

/** A tool that is described otherwise than when it was first seen: perhaps an update, perhaps an attack. */
export interface McpDrift {
  readonly server: string
  /** Its name here: `mcp__server__tool`. */
  readonly tool: string
  /** What the server says now. */
  readonly definition: McpToolDefinition
  /** What it said before, where that was in this process and still in use. */
  readonly previous?: McpToolDefinition
}
