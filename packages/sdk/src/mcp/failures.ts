import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js'
import { StepwellError, ToolError, thrownText } from '../protocol/errors.ts'

/** Who failed, and what has to stay out of the text. */
export interface Blamed {
  readonly server: string
  redact(text: string): string
}

/** Why there is no connection. `stderr`: what its process printed last. */
export function connectFailure({ server, redact }: Blamed, error: unknown, stderr?: string): ToolError {
  if (error instanceof ToolError) return error
  const why = redact(thrownText(error))
  const details = stderr ? { details: { stderr: redact(stderr) } } : {}
  if (isUnauthorized(error)) return unauthorized(server, why)
  if (error instanceof McpError && !isConnectionError(error)) {
    return new ToolError('mcp.protocol', `The MCP server "${server}" could not be used: ${why}`, details)
  }
  const message = `The MCP server "${server}" cannot be reached: ${why}`
  return new ToolError('mcp.unreachable', message, { ...details, retryable: true })
}

/** Why a call has no result. */
export function callFailure({ server, redact }: Blamed, error: unknown): StepwellError {
  if (error instanceof StepwellError) return error
  const why = redact(thrownText(error))
  if (isUnauthorized(error)) return unauthorized(server, why)
  if (error instanceof McpError && !isConnectionError(error)) return new ToolError('tool.failed', why)
  if (error instanceof StreamableHTTPError && isRefusal(error)) {
    return new ToolError('mcp.protocol', `The MCP server "${server}" did not take the call: ${why}`)
  }
  if (isMalformed(error)) {
    return new ToolError('mcp.protocol', `The MCP server "${server}" sent a result that cannot be read.`)
  }
  const hint = 'The outcome of the call is unknown. Check before you repeat it.'
  return new ToolError('mcp.lost', `The connection to the MCP server "${server}" was lost: ${why}. ${hint}`)
}

export function closedError(server: string): ToolError {
  return new ToolError('mcp.closed', `The connection to the MCP server "${server}" was closed here.`)
}

/** The list changed under a call, or its tool is not what it was. */
export function notOffered(server: string): ToolError {
  return new ToolError('tool.disabled', `The MCP server "${server}" does not offer this tool now, or not as it was.`)
}

/** The request certainly did nothing: the server refused it, perhaps as of a session it has forgotten, or was never reached. */
export function neverArrived(error: unknown): boolean {
  if (error instanceof StreamableHTTPError) return isRefusal(error)
  if (!(error instanceof TypeError)) return false
  const { cause } = error
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined
  return code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN'
}

function isUnauthorized(error: unknown): boolean {
  if (error instanceof StreamableHTTPError) return error.code === 401 || error.code === 403
  return error instanceof Error && error.name === 'UnauthorizedError'
}

/** 4xx: answered before anything was done. */
function isRefusal({ code = 0 }: StreamableHTTPError): boolean {
  return code >= 400 && code < 500
}

function unauthorized(server: string, why: string): ToolError {
  return new ToolError('mcp.auth', `The MCP server "${server}" refused the credentials: ${why}`)
}

/** Its code says what happened to the connection, not what the server answered. */
function isConnectionError({ code }: McpError): boolean {
  return code === ErrorCode.ConnectionClosed || code === ErrorCode.RequestTimeout
}

/** What the schemas of the protocol refuse. */
function isMalformed(error: unknown): boolean {
  return error instanceof Error && /ZodError$/.test(error.constructor.name)
}
