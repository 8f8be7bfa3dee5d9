import {
  ConfigError,
  type ErrorInfo,
  InputError,
  SessionError,
  StepwellError,
  StoreError,
  ToolError,
  WireError,
} from '../../protocol/errors.ts'
import { isObject, type JsonValue } from '../../protocol/json.ts'

const CLASSES: Readonly<Record<string, typeof StepwellError>> = {
  config: ConfigError,
  input: InputError,
  session: SessionError,
  store: StoreError,
  tool: ToolError,
  wire: WireError,
}

/** An error of the server, in the class it would have without a server between. */
export function typedError({ code, message, retryable, details }: ErrorInfo): StepwellError {
  const area = code.slice(0, code.indexOf('.'))
  const ErrorClass = (Object.hasOwn(CLASSES, area) ? CLASSES[area] : undefined) ?? StepwellError
  return new ErrorClass(code, message, { retryable, ...(details !== undefined && { details }) })
}

/** What a response that is no success says. */
export async function responseError(response: Response): Promise<StepwellError> {
  const { status } = response
  const text = await response.text().catch(() => '')
  const { error } = (parsed(text) ?? {}) as { error?: unknown }
  if (isObject(error) && typeof error.code === 'string') {
    const { code, message, retryable, details } = error
    return typedError({
      code,
      message: typeof message === 'string' ? message : code,
      retryable: retryable === true,
      ...(details !== undefined && { details }),
    })
  }
  const details = { status }
  if (status === 401) return new WireError('wire.unauthorized', 'The server wants to know who asks.', { details })
  if (status >= 500 || status === 429) {
    return new WireError('wire.unreachable', `The server answered ${status}.`, { retryable: true, details })
  }
  return new WireError('wire.protocol', `The answer ${status} does not come from a Stepwell server.`, { details })
}

/** Undefined for text that is no JSON. */
export function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}
