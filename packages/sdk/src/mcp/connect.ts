import { systemClock } from '../agent/system.ts'
import type { Clock } from '../protocol/clock.ts'
import type { PermissionRules } from '../protocol/permissions.ts'
import type { Tool } from '../tools/tool.ts'
import { Catalog } from './catalog.ts'
import type { McpChange, McpDrift } from './changes.ts'
import { Connection } from './connection.ts'
import { mcpTool } from './mcp-tool.ts'
import { allRules, toolName } from './names.ts'
import { checkServer, type McpServer } from './options.ts'

export interface McpOptions {
  /** By the names their tools get: `mcp__name__tool`. */
  readonly servers: Readonly<Record<string, McpServer>>
  /** `mcp.fingerprints` of an earlier process: a tool that changed since then has drifted. */
  readonly known?: Readonly<Record<string, string>>
  /** A tool is described otherwise than when it was first seen. Whether it may be used so. Default: it may not. */
  readonly onDrift?: (drift: McpDrift) => boolean | Promise<boolean>
  readonly onChange?: (change: McpChange) => void
  readonly clock?: Clock
}

/** Connected servers. */
export interface Mcp {
  /** The tools of all servers that may be used now: another list after a change. */
  readonly tools: readonly Tool[]
  /** The rules of all servers by whole names, for `permissions({ rules })`. */
  readonly permissionRules: Required<PermissionRules>
  /** Of the tools as they were first seen, or accepted later: plain data, to be kept and given back as `known`. */
  readonly fingerprints: Readonly<Record<string, string>>
  /** Ends the connections, the calls that run, and the processes of servers. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Connects MCP servers. Rejects with the first failure, and then nothing stays connected: `mcp.unreachable`, `mcp.auth`,
 * `mcp.protocol`, or `config.invalid`. A server that is lost later is connected again by the next call of one of its tools.
 */
export async function connectMcp(options: McpOptions): Promise<Mcp> {
  const { servers, onChange = () => {}, onDrift = () => false, clock = systemClock } = options
  for (const [name, server] of Object.entries(servers)) checkServer(name, server)
  const known = new Map(Object.entries(options.known ?? {}))
  const parts = Object.entries(servers).map(([name, server]) => {
    const connection: Connection = new Connection({
      name,
      server,
      clock,
      onTools: (entries) => catalog.update(entries),
      isOffered: (tool) => catalog.has(toolName(name, tool)),
      onState: (type) => onChange({ type, server: name }),
    })
    const catalog: Catalog = new Catalog({
      name,
      server,
      known,
      makeTool: (definition) =>
        mcpTool(definition, { name, server, connection, isOffered: (tool) => catalog.has(tool) }),
      onDrift,
      onChange,
    })
    return { connection, catalog }
  })

  async function close(): Promise<void> {
    await Promise.all(parts.map(({ connection }) => connection.close()))
  }

  try {
    await Promise.all(parts.map(({ connection }) => connection.connect()))
  } catch (error) {
    await close()
    throw error
  }
  return {
    get tools() {
      return parts.flatMap(({ catalog }) => catalog.tools)
    },
    permissionRules: allRules(servers),
    get fingerprints() {
      return Object.fromEntries(known)
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
