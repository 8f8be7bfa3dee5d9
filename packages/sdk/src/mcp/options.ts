import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ConfigError } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Operation, PermissionRules } from '../protocol/permissions.ts'

export interface McpServerOptions {
  /** Only these of its tools; `*` stands for any characters. Default: all of them. */
  readonly include?: readonly string[]
  /** None of these. Outweighs `include`. */
  readonly exclude?: readonly string[]
  /** What a call may take, in ms; 0 for no limit. Default 120,000. While a person is asked it stands still. */
  readonly timeoutMs?: number
  /** What connecting and listing the tools may take, in ms. Default 30,000. */
  readonly connectTimeoutMs?: number
  /** What calls do, by the server's name for the tool: it is what rules with a pattern look at. */
  readonly operations?: Readonly<Record<string, (input: JsonObject) => readonly Operation[]>>
  /** Rules for its tools by the server's own names, `write_file(./out/**)`. They come together in `mcp.permissionRules`. */
  readonly permissionRules?: PermissionRules
}

/** A server behind a URL (streamable HTTP). */
export interface McpHttpServer extends McpServerOptions {
  readonly url: string | URL
  /** Sent with every request. Their values are kept out of errors. */
  readonly headers?: Readonly<Record<string, string>>
  readonly fetch?: typeof globalThis.fetch
}

/** A server behind any other transport, for instance `stdio()` from `@stepwell/sdk/mcp/node`. */
export interface McpTransportServer extends McpServerOptions {
  /** Called for each connection, the first one and every later one. */
  transport(): McpTransport
  /** Texts that are kept out of errors. */
  readonly secrets?: readonly string[]
}

/** A transport of `@modelcontextprotocol/sdk`; one of a process may tell what that printed last to stderr. */
export type McpTransport = Transport & { readonly stderrTail?: string }

export type McpServer = McpHttpServer | McpTransportServer

/** Dots, spaces and doubled underscores would make the names of its tools ambiguous. */
const SERVER_NAME = /^[A-Za-z0-9-]+(_[A-Za-z0-9-]+)*$/

/** Throws `config.invalid` for a server that cannot be meant. */
export function checkServer(name: string, server: McpServer): void {
  if (!SERVER_NAME.test(name)) {
    throw invalid(name, 'its name may hold letters, digits, hyphens and single underscores between them')
  }
  if (typeof server !== 'object' || server === null) throw invalid(name, 'it has to be an object')
  if ('url' in server) {
    if (!isHttpUrl(server.url)) throw invalid(name, 'its url has to begin with http:// or https://')
  } else if (typeof server.transport !== 'function') {
    throw invalid(name, 'it needs a url, or a transport: for a command, stdio() from "@stepwell/sdk/mcp/node"')
  }
}

function isHttpUrl(url: string | URL): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
}

function invalid(name: string, problem: string): ConfigError {
  return new ConfigError('config.invalid', `MCP server ${JSON.stringify(name)}: ${problem}.`)
}
