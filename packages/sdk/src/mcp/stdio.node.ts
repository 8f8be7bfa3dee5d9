import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import type { McpServerOptions, McpTransport, McpTransportServer } from './options.ts'
import { redactor } from './redact.ts'

/** A server that is a program: it is spoken to over its standard input and output. */
export interface StdioServer extends McpServerOptions {
  /** Run as it is, without a shell. */
  readonly command: string
  readonly args?: readonly string[]
  /** Added to the few variables a program needs, `PATH` and `HOME` among them. Their values are kept out of errors. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** UTF-16 units of what a server printed to stderr. */
const STDERR_TAIL = 2_000

/** Starts a program as an MCP server: `connectMcp({ servers: { files: stdio({ command: 'npx', args: [...] }) } })`. */
export function stdio({ command, args = [], env = {}, cwd, ...options }: StdioServer): McpTransportServer {
  const secrets = Object.values(env)
  const redact = redactor({ secrets })
  // A secret that has not come to its end has to fit in.
  const length = Math.max(STDERR_TAIL, ...secrets.map((secret) => secret.length))
  return {
    ...options,
    secrets,
    transport: () =>
      new ProgramTransport(
        { command, args: [...args], env: { ...env }, ...(cwd !== undefined && { cwd }) },
        // Taken out before it is cut: half a secret is not found any more.
        (printed) => redact(printed).slice(-length),
      ),
  }
}

class ProgramTransport extends StdioClientTransport implements McpTransport {
  stderrTail = ''
  #closing: Promise<void> | undefined

  constructor(program: ConstructorParameters<typeof StdioClientTransport>[0], tailOf: (printed: string) => string) {
    super({ ...program, stderr: 'pipe' })
    // Read to the end, whatever it is: a program stops when nobody takes what it prints.
    this.stderr?.on('data', (chunk: Buffer) => {
      this.stderrTail = tailOf(this.stderrTail + chunk.toString())
    })
  }

  /** Whoever closes it, and however often: each waits until the program is gone. */
  override close(): Promise<void> {
    this.#closing ??= super.close()
    return this.#closing
  }
}
