import { ConfigError, type ErrorCode, ProviderError, StepwellError, thrownText } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/json.ts'
import { parsed } from '../../protocol/parsed.ts'
import { explained } from '../explained.ts'

interface Place {
  readonly provider: string
  /** Parts of the reply had come. */
  readonly sentOutput: boolean
}

/** What an AI SDK provider throws, and puts into its streams, as far as it is read. Packages have copies of the classes. */
interface Thrown {
  readonly name?: string
  readonly message?: string
  readonly cause?: unknown
  readonly url?: string
  readonly statusCode?: number
  readonly responseHeaders?: Readonly<Record<string, string>>
  readonly responseBody?: string
  readonly isRetryable?: boolean
  readonly code?: string | number
  readonly type?: string
}

/** Errors that say what they are by their names. */
const NAMES: ReadonlyMap<unknown, ErrorCode> = new Map([
  ['AI_LoadAPIKeyError', 'config.missing-key'],
  ['AI_LoadSettingError', 'config.invalid'],
  ['AI_NoSuchModelError', 'provider.not-found'],
  ['AI_InvalidPromptError', 'provider.bad-request'],
  ['AI_InvalidArgumentError', 'provider.bad-request'],
  ['AI_UnsupportedFunctionalityError', 'provider.bad-request'],
  ['AI_JSONParseError', 'provider.protocol'],
  ['AI_TypeValidationError', 'provider.protocol'],
  ['AI_InvalidResponseDataError', 'provider.protocol'],
  ['AI_EmptyResponseBodyError', 'provider.protocol'],
])

/** Characters: some of them quote the whole of what they could not read. */
const MAX_QUOTE = 500

/** Whether a request was never made because it holds something that the provider cannot say to its API. */
export function isUnsupported(thrown: unknown): boolean {
  return isObject(thrown) && thrown.name === 'AI_UnsupportedFunctionalityError'
}

/** Why a model gave no stream. The error that was thrown is no cause of it: it holds the whole request. */
export async function callFailure(thrown: unknown, provider: string): Promise<Error> {
  const place = { provider, sentOutput: false }
  const known = namedFailure(thrown, place)
  if (known !== undefined) return known
  const failure: Thrown = isObject(thrown) ? thrown : {}
  // Some packages report an error of their own as if the API had answered it.
  const inner = namedFailure(parsed(failure.responseBody ?? ''), place, quoted(thrown))
  if (inner !== undefined) return inner
  const { statusCode: status = 0 } = failure
  if (status >= 300 || (status >= 200 && failure.responseBody !== undefined)) {
    return explained({ ...place, cause: undefined }, async () => {
      const response = answered(failure, status)
      const { responseError } = await import('../rare.ts')
      return responseError({ provider, response, reader: response.body?.getReader(), headers: {} })
    })
  }
  return isConnectionFailure(failure) ? connectionFailure(failure, place, status >= 200) : brokenPackage(thrown, place)
}

/** Why a stream broke off. */
export async function streamFailure(thrown: unknown, place: Place): Promise<Error> {
  const known = namedFailure(thrown, place)
  if (known !== undefined) return known
  const failure: Thrown = isObject(thrown) ? thrown : {}
  return isConnectionFailure(failure) ? connectionFailure(failure, place, true) : brokenPackage(thrown, place)
}

/** A failure that came as a part of a stream: an error, or whatever the API said. */
export async function reportedFailure(error: unknown, place: Place): Promise<Error> {
  const known = namedFailure(error, place)
  if (known !== undefined) return known
  return explained({ ...place, cause: error }, async () =>
    (await import('../rare.ts')).streamError(reported(error), place),
  )
}

function namedFailure(
  thrown: unknown,
  { provider, sentOutput }: Place,
  message: string = quoted(thrown),
): Error | undefined {
  if (thrown instanceof StepwellError) return thrown
  const code = isObject(thrown) ? NAMES.get(thrown.name) : undefined
  if (code === undefined) return undefined
  if (code.startsWith('config.')) return new ConfigError(code, message, { details: { provider } })
  return new ProviderError(code, `${provider}: ${message}`, { sentOutput, details: { provider } })
}

function quoted(thrown: unknown): string {
  const message = isObject(thrown) && typeof thrown.message === 'string' ? thrown.message : thrownText(thrown)
  return message.length > MAX_QUOTE ? `${message.slice(0, MAX_QUOTE)}…` : message
}

/** The answer that an error tells of. */
function answered({ message, responseBody, responseHeaders }: Thrown, status: number): Response {
  const body = responseBody?.trim() ? responseBody : JSON.stringify({ error: { message } })
  const headers = new Headers()
  for (const name of ['retry-after', 'retry-after-ms', 'location']) {
    const value = responseHeaders?.[name]
    if (value !== undefined) headers.set(name, value)
  }
  return new Response(body, { status: status <= 599 ? status : 500, headers })
}

/** What the API said, taken out of what the package made of it. */
function reported(error: unknown): unknown {
  if (!isObject(error)) return error
  if (isObject(error.error)) return error.error
  const { message, code, type, statusCode, responseBody }: Thrown = error
  const body = parsed(responseBody ?? '')
  if (isObject(body)) return { ...(isObject(body.error) ? body.error : body), status: statusCode }
  if (statusCode === undefined && code === undefined && type === undefined) return error
  return { message, code, type, status: statusCode }
}

const CONNECTION = /fetch failed|failed to fetch|terminated|network|socket|AbortError|TimeoutError/i

/** What the network did, as packages report it with the answer's status or without one, and as it comes to others. */
function isConnectionFailure({ name = '', message = '', isRetryable, statusCode }: Thrown): boolean {
  return isRetryable === true || statusCode !== undefined || CONNECTION.test(`${name} ${message}`)
}

function brokenPackage(thrown: unknown, { provider, sentOutput }: Place): ProviderError {
  return new ProviderError('provider.protocol', `${provider} failed: ${quoted(thrown)}`, { cause: thrown, sentOutput })
}

function connectionFailure(failure: Thrown, place: Place, afterHeaders: boolean): Promise<Error> {
  const { url = '' } = failure
  const origin = URL.canParse(url) ? new URL(url).origin : place.provider
  // The error of the connection itself is the cause of what an AI SDK package throws.
  const cause = failure.url === undefined ? failure : (failure.cause ?? failure.message)
  return explained({ ...place, cause }, async () =>
    (await import('../rare.ts')).connectionError(cause, { ...place, origin, afterHeaders }),
  )
}
