import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  type CallToolResult,
  CallToolResultSchema,
  type ElicitRequest,
  ElicitRequestSchema,
  type ElicitResult,
  ResultSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { within } from '../agent/within.ts'
import type { Clock } from '../protocol/clock.ts'
import { errorInfo } from '../protocol/errors.ts'
import type { JsonObject } from '../protocol/json.ts'
import { unlessAborted } from '../protocol/unless-aborted.ts'
import type { ToolContext } from '../tools/tool.ts'
import { elicit } from './elicitation.ts'
import { type Blamed, callFailure, closedError, connectFailure, neverArrived, notOffered } from './failures.ts'
import type { McpServer, McpTransport } from './options.ts'
import { redactor } from './redact.ts'

const CONNECT_MS = 30_000
/** Before a further attempt to reconnect. */
const RECONNECT_PAUSES_MS = [500, 2_000]
/** A server that does not answer a ping within this is gone. */
const PING_MS = 10_000
/** How long a server is told that its session is over. */
const FAREWELL_MS = 1_000
const MAX_PAGES = 100
/** The tool's own deadline ends a call, which stands still while a person is asked. The longest timer there is. */
const NO_LIMIT_MS = 2_147_483_647

export interface ConnectionOptions {
  readonly name: string
  readonly server: McpServer
  readonly clock: Clock
  /** Told of the whole list, when connected and whenever the server says that it changed. */
  onTools(entries: readonly unknown[]): Promise<void>
  /** Whether a tool may be used, by the last list; by the server's own name. */
  isOffered(tool: string): boolean
  onState(state: 'disconnected' | 'reconnected'): void
}

/** The connection to one server. It is made again when a call finds it gone. */
export class Connection {
  readonly #options: ConnectionOptions
  readonly #blamed: Blamed
  readonly #closed = new AbortController()
  /** What runs at the server now. */
  readonly #calls = new Set<ToolContext>()
  #client: Client | undefined
  /** Not ready yet. */
  #opening: Client | undefined
  #connecting: Promise<Client> | undefined
  #isChecking = false

  constructor(options: ConnectionOptions) {
    this.#options = options
    this.#blamed = { server: options.name, redact: redactor(options.server) }
  }

  /** The first connection. Rejects with `mcp.unreachable`, `mcp.auth` or `mcp.protocol`. */
  async connect(): Promise<void> {
    await this.#open()
  }

  /**
   * Calls a tool. What certainly did not reach the server is sent again once, over a new connection.
   * Rejects with one of the codes `mcp.*`, or with `tool.failed` and the server's reason.
   */
  async call(tool: string, input: JsonObject, ctx: ToolContext): Promise<CallToolResult> {
    for (let isAgain = false; ; isAgain = true) {
      const client = await this.#connected(ctx.signal)
      if (!this.#options.isOffered(tool)) throw notOffered(this.#blamed.server)
      try {
        return await this.#request(client, tool, input, ctx)
      } catch (error) {
        if (this.#closed.signal.aborted) throw closedError(this.#blamed.server)
        if (isAgain || ctx.signal.aborted || !neverArrived(error)) throw callFailure(this.#blamed, error)
        if (!(await this.#answers(client))) await this.#drop(client)
      }
    }
  }

  async #request(client: Client, name: string, input: JsonObject, ctx: ToolContext): Promise<CallToolResult> {
    this.#calls.add(ctx)
    try {
      return await client.request({ method: 'tools/call', params: { name, arguments: input } }, CallToolResultSchema, {
        signal: ctx.signal,
        timeout: NO_LIMIT_MS,
        onprogress({ progress: done, total, message: label }) {
          ctx.output('', { done, ...(total !== undefined && { total }), ...(label !== undefined && { label }) })
        },
      })
    } finally {
      this.#calls.delete(ctx)
    }
  }

  /** Ends what runs, the connection and, where it has one, the server's process. */
  async close(): Promise<void> {
    this.#closed.abort()
    await this.#opening?.close().catch(() => {})
    const client = this.#client
    if (client === undefined) return
    await this.#sayFarewell(client)
    await this.#drop(client)
  }

  async #connected(signal: AbortSignal): Promise<Client> {
    if (this.#closed.signal.aborted) throw closedError(this.#blamed.server)
    if (this.#client?.transport !== undefined) return this.#client
    this.#connecting ??= this.#reconnect().finally(() => {
      this.#connecting = undefined
    })
    const client = await unlessAborted(signal, this.#connecting)
    if (client === undefined) throw signal.reason
    return client
  }

  async #reconnect(): Promise<Client> {
    for (let attempt = 0; !this.#closed.signal.aborted; attempt++) {
      try {
        const client = await this.#open()
        this.#options.onState('reconnected')
        return client
      } catch (error) {
        const pause = RECONNECT_PAUSES_MS[attempt]
        if (pause === undefined || !errorInfo(error).retryable) throw error
        await this.#pause(pause)
      }
    }
    throw closedError(this.#blamed.server)
  }

  async #pause(ms: number): Promise<void> {
    let cancel = (): void => {}
    const over = new Promise<void>((resolve) => {
      cancel = this.#options.clock.setTimer(resolve, ms)
    })
    await unlessAborted(this.#closed.signal, over)
    cancel()
  }

  async #open(): Promise<Client> {
    const { server, onTools } = this.#options
    const client = new Client(
      { name: 'stepwell', version: '1' },
      { capabilities: { elicitation: { form: {}, url: {} } } },
    )
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => this.#elicit(params))
    client.onclose = () => this.#gone(client)
    client.onerror = () => void this.#check(client)
    this.#opening = client
    let transport: McpTransport | undefined
    try {
      transport = openTransport(server)
      const { connectTimeoutMs: timeout = CONNECT_MS } = server
      await client.connect(transport, { timeout })
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => this.#refresh(client))
      await onTools(await listTools(client, timeout))
      if (this.#closed.signal.aborted) throw closedError(this.#blamed.server)
    } catch (error) {
      const failure = connectFailure(this.#blamed, error, transport?.stderrTail)
      await client.close().catch(() => {})
      throw this.#closed.signal.aborted ? closedError(this.#blamed.server) : failure
    } finally {
      if (this.#opening === client) this.#opening = undefined
    }
    this.#client = client
    return client
  }

  #gone(client: Client): void {
    if (this.#client !== client) return
    this.#client = undefined
    if (!this.#closed.signal.aborted) this.#options.onState('disconnected')
  }

  async #drop(client: Client): Promise<void> {
    await client.close().catch(() => {})
    this.#gone(client)
  }

  /** Something went wrong on the way. Over HTTP a server may be gone without a sign, and calls would wait for it. */
  async #check(client: Client): Promise<void> {
    if (this.#isChecking || this.#calls.size === 0 || this.#client !== client) return
    this.#isChecking = true
    if (!(await this.#answers(client))) await this.#drop(client)
    this.#isChecking = false
  }

  async #answers(client: Client): Promise<boolean> {
    try {
      await client.ping({ timeout: PING_MS })
      return true
    } catch {
      return false
    }
  }

  async #refresh(client: Client): Promise<void> {
    try {
      const { connectTimeoutMs: timeout = CONNECT_MS } = this.#options.server
      await this.#options.onTools(await listTools(client, timeout))
    } catch {
      // The list stays as it was; a server that is gone is noticed by the next call.
    }
  }

  /** A server does not say for which call it asks: with several at work it is not known who is to be asked. */
  async #elicit(params: ElicitRequest['params']): Promise<ElicitResult> {
    const [ctx, another] = this.#calls
    if (ctx === undefined || another !== undefined) return { action: 'cancel' }
    try {
      return await elicit(this.#blamed.server, params, ctx.ask)
    } catch (error) {
      ctx.log('A question of an MCP server could not be asked', { server: this.#blamed.server, error: String(error) })
      return { action: 'cancel' }
    }
  }

  async #sayFarewell({ transport }: Client): Promise<void> {
    if (!(transport instanceof StreamableHTTPClientTransport)) return
    const told = transport.terminateSession().catch(() => {})
    await within(this.#options.clock, FAREWELL_MS, told)
  }
}

function openTransport(server: McpServer): McpTransport {
  if (!('url' in server)) return server.transport()
  const { url, headers, fetch } = server
  // Its optional fields are declared without `undefined`, which is all that differs.
  return new StreamableHTTPClientTransport(new URL(url), {
    ...(headers && { requestInit: { headers: { ...headers } } }),
    ...(fetch && { fetch }),
  }) as McpTransport
}

/** Every entry as it came: one that is wrong does not spoil the others. */
async function listTools(client: Client, timeout: number): Promise<readonly unknown[]> {
  if (client.getServerCapabilities()?.tools === undefined) return []
  const entries: unknown[] = []
  let cursor: unknown
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = typeof cursor === 'string' ? { cursor } : {}
    const { tools, nextCursor } = await client.request({ method: 'tools/list', params }, ResultSchema, { timeout })
    if (Array.isArray(tools)) entries.push(...tools)
    if (typeof nextCursor !== 'string') break
    cursor = nextCursor
  }
  return entries
}
