import { type ErrorCode, ProviderError, thrownText } from '../protocol/errors.ts'
import { isObject, type JsonObject } from '../protocol/json.ts'
import { parsed } from '../protocol/parsed.ts'
import { saysOverflow } from './overflow.ts'
import { retryAfterMs } from './retry-after.ts'

interface HttpFailure {
  readonly provider: string
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

/** The provider's own account of what went wrong. */
interface Reported {
  readonly message: string
  readonly code?: string
  readonly type?: string
}

/** An answer that is not 2xx. */
export function httpError({ provider, status, headers, body }: HttpFailure): ProviderError {
  const reported = reportedIn(body)
  const message = reported?.message || plainText(body) || `${provider} answered with HTTP ${status} and no explanation`
  // Some endpoints answer an overlong prompt with a bare 413.
  const bare = status === 413 && reported === undefined && body.trim() === ''
  const code = bare ? 'provider.context-overflow' : codeOf({ ...reported, message }, status)
  const advice = reported === undefined ? ADVICE[code] : undefined
  const told = { ...reported, message: advice === undefined ? message : `${message.replace(/\.$/, '')}. ${advice}` }
  return failure(provider, code, told, { status, wait: retryAfterMs(headers) })
}

/** For answers that are not the API's own: a proxy's, another service's, or none at all. */
const ADVICE: Partial<Record<ErrorCode, string>> = {
  'provider.auth': 'Check the API key and the base URL',
  'provider.not-found': "Check the base URL and the model's name",
}

/** A 2xx answer that is no event stream. */
export function bodyError({ provider, status, body }: HttpFailure): ProviderError {
  const value = parsed(body)
  if (isObject(value) && value.error !== undefined && value.error !== null)
    return streamError(value.error, { provider })
  return new ProviderError(
    'provider.protocol',
    `${provider} answered with something that is no event stream. Check the base URL. It begins: ${body.trim().slice(0, 200)}`,
    {
      status,
    },
  )
}

/** An error object that came inside a 200 stream: text, or an object with any of message, code and type. */
export function streamError(
  error: unknown,
  context: { readonly provider: string; readonly sentOutput?: boolean },
): ProviderError {
  const reported = reportedBy(error) ?? { message: `${context.provider} reported an error without a message` }
  const status = Number(reported.code ?? (isObject(error) ? error.status : undefined))
  const known = Number.isInteger(status) && status >= 400 && status <= 599 ? status : undefined
  return failure(context.provider, codeOf(reported, known), reported, {
    ...(known !== undefined && { status: known }),
    sentOutput: context.sentOutput ?? false,
  })
}

export interface ConnectionPlace {
  readonly provider: string
  readonly origin: string
  readonly afterHeaders: boolean
  readonly sentOutput: boolean
}

/** Anything that fetch or the body's reader threw. */
export function connectionError(thrown: unknown, context: ConnectionPlace): ProviderError {
  const { provider, origin, afterHeaders, sentOutput } = context
  const codes = causeCodes(thrown)
  const say = (code: ErrorCode, message: string, retryable: boolean) =>
    new ProviderError(code, `${message} (${codes[0] ?? thrownText(thrown)})`, {
      retryable,
      sentOutput,
      cause: thrown,
      details: { provider },
    })
  if (codes.some((code) => code === 'UND_ERR_BODY_TIMEOUT' || code === 'UND_ERR_HEADERS_TIMEOUT')) {
    return say('provider.idle', `${provider} sent nothing for too long`, true)
  }
  if (codes.some((code) => TLS.test(code))) {
    return say(
      'provider.tls',
      `No secure connection to ${origin}. Check its certificate, the clock and any proxy, and that it speaks https`,
      false,
    )
  }
  if (afterHeaders)
    return say('provider.stream-truncated', `The connection to ${provider} broke in the middle of the reply`, true)
  return say('provider.unreachable', `${origin} cannot be reached. Check the address and the network`, true)
}

const TLS = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|EPROTO$|HOSTNAME_MISMATCH|INVALID_CA|ERR_CERT)/

function causeCodes(thrown: unknown): readonly string[] {
  const codes: string[] = []
  let error: unknown = thrown
  for (let depth = 0; depth < 8 && typeof error === 'object' && error !== null; depth++) {
    const { code, cause, errors } = error as { code?: unknown; cause?: unknown; errors?: unknown }
    if (typeof code === 'string' && code !== '') codes.push(code)
    error = cause ?? (Array.isArray(errors) ? errors[0] : undefined)
  }
  return codes
}

function failure(
  provider: string,
  code: ErrorCode,
  reported: Reported,
  at: { readonly status?: number; readonly wait?: number | undefined; readonly sentOutput?: boolean },
): ProviderError {
  const details: Record<string, string | number> = { provider }
  if (at.status !== undefined) details.status = at.status
  if (at.wait !== undefined) details.retryAfterMs = at.wait
  if (reported.type) details.type = reported.type
  if (reported.code) details.code = reported.code
  return new ProviderError(code, reported.message, {
    retryable: code === 'provider.rate-limited' || code === 'provider.overloaded',
    sentOutput: at.sentOutput ?? false,
    details: details satisfies JsonObject,
    ...(at.status !== undefined && { status: at.status }),
    ...(at.wait !== undefined && { retryAfterMs: at.wait }),
  })
}

const QUOTA =
  /insufficient.?(quota|balance|credit|funds)|exceeded your current quota|billing|credit balance|out of credits|any credits|payment required/i
const FILTER = /content.?filter|content_policy|responsibleaipolicy|data_?inspection_?failed|safety_violation/i

/** First what the provider calls it where a status would mislead, then the status, then its words. */
function codeOf({ message, code = '', type = '' }: Reported, status: number | undefined): ErrorCode {
  const words = `${code} ${type}`
  const refused = status === 401 || status === 429
  if (
    status === 402 ||
    (QUOTA.test(`${words} ${message}`) &&
      !/(retry|try again) in/i.test(message) &&
      (status === undefined || status < 500))
  ) {
    return 'provider.quota'
  }
  if (!refused && FILTER.test(words)) return 'provider.content-filter'
  if (!refused && status !== 403 && (saysOverflow(words) || saysOverflow(message))) return 'provider.context-overflow'
  return status === undefined ? codeOfWords(words) : codeOfStatus(status)
}

function codeOfStatus(status: number): ErrorCode {
  if (status >= 500 || status === 408 || status === 409 || status === 498) return 'provider.overloaded'
  switch (status) {
    case 401:
    case 403:
      return 'provider.auth'
    case 404:
    case 405:
    case 410:
      return 'provider.not-found'
    case 413:
      return 'provider.too-large'
    case 429:
      return 'provider.rate-limited'
    default:
      return 'provider.bad-request'
  }
}

const WORDS: readonly (readonly [RegExp, ErrorCode])[] = [
  [/rate.?limit|too.?many.?requests|resource.?exhausted/i, 'provider.rate-limited'],
  [/authentication|permission|api.?key|unauthorized|forbidden/i, 'provider.auth'],
  [/not.?found/i, 'provider.not-found'],
  [/too.?large/i, 'provider.too-large'],
  [/invalid|bad.?request|unsupported/i, 'provider.bad-request'],
]

/** An unknown failure in the middle of a reply is taken for a passing one. */
function codeOfWords(words: string): ErrorCode {
  return WORDS.find(([pattern]) => pattern.test(words))?.[1] ?? 'provider.overloaded'
}

function reportedIn(body: string): Reported | undefined {
  const value = parsed(body)
  if (Array.isArray(value)) return reportedIn(JSON.stringify(value[0] ?? null))
  if (!isObject(value)) return undefined
  return reportedBy(value.error) ?? reportedBy(value.errors) ?? reportedBy(value)
}

function reportedBy(error: unknown): Reported | undefined {
  if (typeof error === 'string') return error.trim() === '' ? undefined : { message: error }
  if (Array.isArray(error)) return reportedBy(error[0])
  if (!isObject(error)) return undefined
  const message = textIn(error.message) ?? textIn(error.detail) ?? textIn(error.msg) ?? textIn(error.error)
  const code = word(error.code)
  const type = word(error.type) ?? word(error.status)
  if (message === undefined && code === undefined && type === undefined) return undefined
  return { message: message ?? [code, type].filter(Boolean).join(' '), ...(code && { code }), ...(type && { type }) }
}

function textIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value
  if (value === undefined || value === null) return undefined
  return reportedBy(value)?.message ?? JSON.stringify(value)
}

function word(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined
}

/** The readable text of a body that is no JSON: of HTML without its tags. */
function plainText(body: string): string {
  if (!body.trimStart().startsWith('<')) return body.trim().slice(0, 1000)
  return body
    .replace(/<(script|style)[\s\S]*?<\/\1>/gi, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 200)
}
