import { describe, expect, test } from 'vitest'
import { StepwellError } from '../../protocol/errors.ts'
import { fromAISDK } from './from-ai-sdk.ts'
import type { AISDKModel } from './model.ts'
import type { StreamPart } from './stream-part.ts'

function modelOf(doStream: AISDKModel['doStream']): AISDKModel {
  return { specificationVersion: 'v3', provider: 'acme', modelId: 'm', supportedUrls: {}, doStream }
}

async function failureOf(doStream: AISDKModel['doStream']): Promise<unknown> {
  const request = { messages: [], tools: [], settings: {}, bytes: () => Promise.reject(new Error('no bytes')) }
  try {
    for await (const _ of fromAISDK(modelOf(doStream)).stream(request, { signal: new AbortController().signal }));
  } catch (error) {
    expect(error).toBeInstanceOf(StepwellError)
    return error
  }
  throw new Error('It did not fail.')
}

/** An error as a package throws it: one of its own copy of the class. */
function thrown(name: string, fields: object = {}, message = 'because'): Error {
  return Object.assign(new Error(message), { name: `AI_${name}`, ...fields })
}

function streamOf(...parts: readonly StreamPart[]): ReadableStream<StreamPart> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })
}

const url = 'https://api.acme.example/v1/chat'
const answer = (statusCode: number, responseBody?: string, responseHeaders = {}) =>
  thrown('APICallError', {
    url,
    statusCode,
    responseBody,
    responseHeaders,
    requestBodyValues: { secret: 'of the user' },
  })

describe('what was thrown instead of a stream', () => {
  test.each([
    ['a key that is missing', thrown('LoadAPIKeyError'), 'config.missing-key', false],
    ['a setting that is missing', thrown('LoadSettingError'), 'config.invalid', false],
    ['a model that is not there', thrown('NoSuchModelError'), 'provider.not-found', false],
    ['a request that cannot be said', thrown('UnsupportedFunctionalityError'), 'provider.bad-request', false],
    ['an answer that cannot be read', thrown('JSONParseError'), 'provider.protocol', false],
    ['a refused key', answer(401, '{"error":{"message":"because"}}'), 'provider.auth', false],
    ['too many requests', answer(429, '{"error":{"message":"because"}}'), 'provider.rate-limited', true],
    [
      'an empty account',
      answer(429, '{"error":{"message":"because","code":"insufficient_quota"}}'),
      'provider.quota',
      false,
    ],
    [
      'a request that is too long',
      answer(400, '{"error":{"message":"prompt is too long"}}'),
      'provider.context-overflow',
      false,
    ],
    ['a status without a body', answer(503), 'provider.overloaded', true],
    ['a status that does not exist', answer(999), 'provider.overloaded', true],
    ['a whole answer that cannot be read', answer(200, '{"half'), 'provider.protocol', false],
    ['no connection', thrown('APICallError', { url, isRetryable: true }), 'provider.unreachable', true],
    ['no connection, as fetch says it', new TypeError('fetch failed'), 'provider.unreachable', true],
    ['a connection that broke', thrown('APICallError', { url, statusCode: 200 }), 'provider.stream-truncated', true],
    ['a fault of the package', new TypeError('undefined is not a function'), 'provider.protocol', false],
    ['an error of the package in an answer', answer(500, '{"name":"AI_JSONParseError"}'), 'provider.protocol', false],
    ['something that is no error', 'because', 'provider.protocol', false],
  ])('%s', async (_, error, code, retryable) => {
    expect(await failureOf(() => Promise.reject(error))).toMatchObject({ code, retryable })
  })

  test('keeps the words, the status and the time to wait, but not the request', async () => {
    const error = answer(429, '{"error":{"message":"Slow down"}}', { 'retry-after': '7' })
    const failure = (await failureOf(() => Promise.reject(error))) as Error
    expect(failure).toMatchObject({ message: 'Slow down', status: 429, retryAfterMs: 7000, sentOutput: false })
    expect(failure.cause).toBeUndefined()
  })

  test('a package that throws at once', async () => {
    const failure = await failureOf(() => {
      throw answer(404, '{"error":{"message":"because"}}')
    })
    expect(failure).toMatchObject({ code: 'provider.not-found' })
  })

  test('a quoted text is not repeated without an end', async () => {
    const failure = (await failureOf(() => Promise.reject(thrown('JSONParseError', {}, 'x'.repeat(10_000))))) as Error
    expect(failure.message.length).toBeLessThan(600)
  })
})

describe('what comes inside a stream', () => {
  const failing = (error: unknown, ...before: StreamPart[]) =>
    failureOf(async () => ({ stream: streamOf(...before, { type: 'error', error }) }))

  test.each([
    ['text', 'because', 'provider.overloaded', true],
    ['what the API said', { type: 'overloaded_error', message: 'because' }, 'provider.overloaded', true],
    [
      'that inside its event',
      { type: 'error', error: { code: 'insufficient_quota', message: 'because' } },
      'provider.quota',
      false,
    ],
    ['a status', { message: 'because', code: 'server_error', statusCode: 500 }, 'provider.overloaded', true],
    ['an error with an answer', answer(503, '{"error":{"code":503,"message":"because"}}'), 'provider.overloaded', true],
    ['an event that cannot be read', thrown('TypeValidationError'), 'provider.protocol', false],
  ])('%s', async (_, error, code, retryable) => {
    const failure = await failing(error, { type: 'text-delta', id: '0', delta: 'Hi' })
    expect(failure).toMatchObject({ code, retryable, sentOutput: true, message: expect.stringContaining('because') })
  })

  test('before any words nothing was sent', async () => {
    expect(await failing('because', { type: 'stream-start', warnings: [] })).toMatchObject({ sentOutput: false })
  })

  test.each([
    [
      'the network',
      Object.assign(new TypeError('terminated'), { cause: { code: 'UND_ERR_SOCKET' } }),
      'provider.stream-truncated',
    ],
    ['a fault of the package', new TypeError("reading 'delta'"), 'provider.protocol'],
  ])('a stream that fails itself: %s', async (_, error, code) => {
    const stream = new ReadableStream({ pull: (controller) => controller.error(error) })
    expect(await failureOf(async () => ({ stream }))).toMatchObject({ code })
  })
})
