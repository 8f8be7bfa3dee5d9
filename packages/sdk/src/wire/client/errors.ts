import {
  ConfigError,
  type ErrorInfo,
  errorInfo,
  InputError,
  SessionError,
  StepwellError,
  StoreError,
  ToolError,
  WireError,
} from '../../protocol/errors.ts'
import { parsed } from '../../protocol/parsed.ts'

const CLASSES: ReadonlyMap<string, typeof StepwellError> = new Map([
  ['config', ConfigError],
  ['input', InputError],
  ['session', SessionError],
  ['store', StoreError],
  ['tool', ToolError],
  ['wire', WireError],
])

/** An error of the server, in the class it would have without a server between. */
export function typedError(info: ErrorInfo): StepwellError {
  const { code, message } = info
  const ErrorClass = CLASSES.get(code.replace(/\..*/, '')) ?? StepwellError
  return new ErrorClass(code, message, info)
}

/** What a response that is no success says. */
export async function responseError(response: Response): Promise<StepwellError> {
  const { status } = response
  const text = await response.text().catch(() => '')
  const { error } = (parsed(text) ?? {}) as { error?: Partial<ErrorInfo> | null }
  if (typeof error?.code === 'string') {
    const { code, message = code, retryable } = error
    return typedError({ ...error, code, message, retryable: retryable === true })
  }
  const retryable = status >= 500 || status === 429
  const code = status === 401 ? 'wire.unauthorized' : retryable ? 'wire.unreachable' : 'wire.protocol'
  const message = `The answer ${status} does not come from a Stepwell server.`
  return new WireError(code, message, { retryable, details: { status } })
}

/** Nobody answered, or not to the end. */
export function unreachable(cause: unknown): WireError {
  return new WireError('wire.unreachable', 'The server gave no answer.', { retryable: true, cause })
}

/** There is no such session, or it is another's. */
export function isMissing(thrown: unknown): boolean {
  return errorInfo(thrown).code === 'session.not-found'
}
