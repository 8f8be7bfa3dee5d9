import type { Logger } from '../../agent/runtime.ts'
import { type ErrorInfo, StepwellError, thrownText, WireError } from '../../protocol/errors.ts'

const STATUS: Readonly<Record<string, number>> = {
  'wire.bad-request': 400,
  'wire.not-exposed': 400,
  'wire.unauthorized': 401,
  'wire.origin': 403,
  'wire.not-found': 404,
  'wire.method-not-allowed': 405,
  'wire.content-type': 415,
  'wire.closing': 503,
  'session.invalid-id': 400,
  'session.not-supported': 400,
  'session.not-found': 404,
  'session.unknown-message': 404,
  'session.nothing-to-continue': 409,
  'session.busy': 409,
  'session.conflict': 409,
  'input.too-large': 413,
  'input.empty': 400,
  'input.invalid': 400,
  'tool.invalid-schema': 400,
  'tool.missing-zod': 500,
  'compliance.blocked': 403,
}

/** The error of a session that is not there, and of one that is not the caller's: nobody can tell which. */
export function notFound(id: string): StepwellError {
  return new WireError('session.not-found', `There is no session "${id}".`)
}

export function badRequest(message: string, details?: ErrorInfo['details']): WireError {
  return new WireError('wire.bad-request', message, { ...(details !== undefined && { details }) })
}

export function closing(): WireError {
  return new WireError('wire.closing', 'The server is closing. Ask again: another one answers.', { retryable: true })
}

/**
 * What a caller is told of anything thrown. What the caller can do nothing about (storage, configuration, mistakes) goes
 * to the log, and leaves without its text: that may name files, hosts or keys.
 */
export function toldError(thrown: unknown, logger: Logger): { readonly status: number; readonly error: ErrorInfo } {
  const error = thrown instanceof StepwellError ? thrown : undefined
  if (error !== undefined) {
    const { code } = error
    // This process gave the session up: the next request finds whoever has it.
    if (code === 'session.closed' || code === 'session.lease-lost') return { status: 503, error: closing().toJSON() }
    const status = STATUS[code]
    if (status !== undefined) return { status, error: error.toJSON() }
  }
  logger.log('error', 'A request failed', { error: thrownText(thrown), ...(error && { code: error.code }) })
  if (error?.code.startsWith('store.')) {
    return { status: 503, error: { code: error.code, message: 'The storage failed.', retryable: error.retryable } }
  }
  return { status: 500, error: { code: 'internal', message: 'The server failed.', retryable: false } }
}
