import { type ErrorInfo, errorOf, type StepwellError } from '../../protocol/errors.ts'
import { parsed } from '../../protocol/parsed.ts'

/** What a response that is no success says. */
export async function responseError(response: Response): Promise<StepwellError> {
  const { status } = response
  const text = await response.text().catch(() => '')
  const { error } = (parsed(text) ?? {}) as { error?: Partial<ErrorInfo> | null }
  if (typeof error?.code === 'string') return errorOf(error.code, error.message ?? error.code, error)
  const retryable = status >= 500 || status === 429
  const code = status === 401 ? 'wire.unauthorized' : retryable ? 'wire.unreachable' : 'wire.protocol'
  const message = `The answer ${status} is not of a Stepwell server.`
  return errorOf(code, message, { retryable, details: { status } })
}

/** Nobody answered, or not to the end. */
export function unreachable(cause: unknown): StepwellError {
  return errorOf('wire.unreachable', 'The server gave no answer.', { retryable: true, cause })
}
