import { describe, expect, test } from 'vitest'
import { bodyError, connectionError, httpError, streamError } from './errors.ts'
import { saysOverflow } from './overflow.ts'
import { retryAfterMs } from './retry-after.ts'

const at = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  httpError({
    provider: 'p',
    status,
    headers: new Headers(headers),
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

test.each<[number, unknown, string, string]>([
  [400, { error: { message: 'no', code: 'x' } }, 'provider.bad-request', 'no'],
  [401, { error: 'denied' }, 'provider.auth', 'denied'],
  [403, { message: 'not yours' }, 'provider.auth', 'not yours'],
  [404, { detail: 'no such model' }, 'provider.not-found', 'no such model'],
  [
    404,
    '<html><head><title>Gone</title><style>p{}</style></head><p>away</p></html>',
    'provider.not-found',
    "Gone away. Check the base URL and the model's name",
  ],
  [413, { error: { message: 'body too big' } }, 'provider.too-large', 'body too big'],
  [422, { detail: [{ loc: ['body'], msg: 'extra field' }] }, 'provider.bad-request', 'extra field'],
  [429, { error: { message: 'slow down' } }, 'provider.rate-limited', 'slow down'],
  [429, { error: { message: 'Pay', type: 'insufficient_quota' } }, 'provider.quota', 'Pay'],
  [
    429,
    [{ error: { message: 'Quota: please retry in 12s. Check billing', status: 'X' } }],
    'provider.rate-limited',
    'Quota: please retry in 12s. Check billing',
  ],
  [402, '', 'provider.quota', 'p answered with HTTP 402 and no explanation'],
  [
    400,
    { type: 'error', error: { type: 'invalid_request_error', message: 'Your credit balance is too low' } },
    'provider.quota',
    'Your credit balance is too low',
  ],
  [400, { error: { code: 'content_filter', message: 'filtered' } }, 'provider.content-filter', 'filtered'],
  [500, 'Internal', 'provider.overloaded', 'Internal'],
  [
    529,
    { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    'provider.overloaded',
    'Overloaded',
  ],
  [413, '', 'provider.context-overflow', 'p answered with HTTP 413 and no explanation'],
  [400, { error: { code: 'context_length_exceeded', message: 'long' } }, 'provider.context-overflow', 'long'],
  [400, 'null', 'provider.bad-request', 'null'],
])('HTTP %i with %j', (status, body, code, message) => {
  const error = at(status, body)
  expect([error.code, error.message, error.status]).toEqual([code, message, status])
  expect(error.retryable).toBe(code === 'provider.rate-limited' || code === 'provider.overloaded')
})

describe('context overflow', () => {
  test.each([
    'prompt is too long: 5 tokens > 4 maximum',
    'Input is too long for requested model.',
    'Your input exceeds the context window of this model',
    "This model's maximum context length is 4 tokens. However, you requested 5 tokens",
    'The input token count (5) exceeds the maximum number of tokens allowed (4)',
    "This model's maximum prompt length is 4 but the request contains 5 tokens",
    'Please reduce the length of the messages or completion.',
    'the request exceeds the available context size, try increasing it',
    'tokens to keep from the initial prompt is greater than the context length',
    'prompt token count of 5 exceeds the limit of 4',
    'invalid params, context window exceeds limit',
    'Your request exceeded model token limit: 4 (requested: 5)',
    'Prompt contains 5 tokens, too large for model with 4 maximum context length',
    'Range of input length should be [1, 4]',
  ])('%s', (text) => expect(at(400, { error: { message: text } }).code).toBe('provider.context-overflow'))

  test.each<[number, string, string]>([
    [429, 'Rate limit reached: Limit 3 tokens per min (TPM), requested 4', 'provider.rate-limited'],
    [429, 'prompt is too long', 'provider.rate-limited'],
    [413, 'Request too large on tokens per minute (TPM): Limit 3, Requested 4', 'provider.too-large'],
    [400, 'max_tokens: 5 > 4, which is the maximum allowed number of output tokens', 'provider.bad-request'],
    [400, 'image exceeds 5 MB maximum', 'provider.bad-request'],
    [401, 'invalid api key', 'provider.auth'],
    [400, 'tool_use ids were found without tool_result', 'provider.bad-request'],
  ])('is not %i %s', (status, text, code) => expect(at(status, { error: { message: text } }).code).toBe(code))

  test('is recognised by its code word', () => expect(saysOverflow('model_context_window_exceeded')).toBe(true))
})

test.each<[unknown, string, string, number | undefined]>([
  ['kaput', 'provider.overloaded', 'kaput', undefined],
  [{ code: 502, message: 'upstream' }, 'provider.overloaded', 'upstream', 502],
  [{ code: '429', message: 'limit' }, 'provider.rate-limited', 'limit', 429],
  [{ code: null, message: 'died' }, 'provider.overloaded', 'died', undefined],
  [{ code: 400, message: 'prompt is too long: 3 > 2' }, 'provider.context-overflow', 'prompt is too long: 3 > 2', 400],
  [{ type: 'invalid_request_error', message: 'bad' }, 'provider.bad-request', 'bad', undefined],
  [{ type: 'overloaded_error', message: 'Overloaded' }, 'provider.overloaded', 'Overloaded', undefined],
  [{ code: 'insufficient_quota', message: 'q' }, 'provider.quota', 'q', undefined],
  [{}, 'provider.overloaded', 'p reported an error without a message', undefined],
  [[], 'provider.overloaded', 'p reported an error without a message', undefined],
])('inside a stream: %j', (value, code, message, status) => {
  const error = streamError(value, { provider: 'p', sentOutput: true })
  expect([error.code, error.message, error.status, error.sentOutput]).toEqual([code, message, status, true])
})

test.each<[Record<string, string>, number | undefined]>([
  [{ 'retry-after': '3' }, 3000],
  [{ 'retry-after': '0' }, 0],
  [{ 'retry-after': '1.5' }, 1500],
  [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:08 GMT' }, 7000],
  [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 0],
  [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
  [{ 'retry-after-ms': 'x', 'retry-after': '9' }, 9000],
  [{ 'retry-after': '18000' }, 18_000_000],
  [{ 'retry-after': '-5' }, undefined],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': '' }, undefined],
  [{}, undefined],
])('%j asks for %s ms', (headers, ms) => {
  expect(retryAfterMs(new Headers(headers), 1000)).toBe(ms)
})

test('the wait a provider asks for is in the error and in its data', () => {
  const error = at(429, { error: { message: 'x' } }, { 'retry-after': '2' })
  expect(error.retryAfterMs).toBe(2000)
  expect(error.toJSON().details).toEqual({ provider: 'p', status: 429, retryAfterMs: 2000 })
})

test('a 200 that is no stream is told apart', () => {
  const of = (body: string) => bodyError({ provider: 'p', status: 200, headers: new Headers(), body })
  expect(of('<html>x').code).toBe('provider.protocol')
  expect(of('{"error":{"message":"no","code":401}}').code).toBe('provider.auth')
  expect(of(`<${'y'.repeat(1000)}`).message.length).toBeLessThan(350)
})

test.each<[string, boolean, string, boolean]>([
  ['ENOTFOUND', false, 'provider.unreachable', true],
  ['ECONNRESET', false, 'provider.unreachable', true],
  ['ECONNRESET', true, 'provider.stream-truncated', true],
  ['UND_ERR_BODY_TIMEOUT', true, 'provider.idle', true],
  ['UND_ERR_HEADERS_TIMEOUT', false, 'provider.idle', true],
  ['CERT_HAS_EXPIRED', false, 'provider.tls', false],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', false, 'provider.tls', false],
  ['ERR_TLS_CERT_ALTNAME_INVALID', false, 'provider.tls', false],
])('%s, after headers: %s', (code, afterHeaders, expected, retryable) => {
  const thrown = new TypeError('fetch failed', { cause: Object.assign(new AggregateError([]), { code }) })
  const error = connectionError(thrown, { provider: 'p', origin: 'https://x', afterHeaders, sentOutput: false })
  expect([error.code, error.retryable]).toEqual([expected, retryable])
  expect(error.message).toContain(code)
})
