import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { errorInfo, ProviderError, SessionError, StepwellError, thrownText } from './errors.ts'

describe('StepwellError', () => {
  test('has its class name, its code and its cause, and is not retryable unless said', () => {
    const cause = new Error('below')
    const error = new SessionError('session.busy', 'A run is open.', { cause })
    expect(error).toBeInstanceOf(StepwellError)
    expect(error).toMatchObject({ name: 'SessionError', code: 'session.busy', retryable: false, cause })
    expect(error.toString()).toBe('SessionError: A run is open.')
  })

  test('becomes plain data in which nothing is undefined', () => {
    const bare = new StepwellError('internal', 'No.')
    expect(Object.entries(bare.toJSON())).toEqual([
      ['code', 'internal'],
      ['message', 'No.'],
      ['retryable', false],
    ])
    expect('details' in bare).toBe(false)
    expect('cause' in bare).toBe(false)
    expect(JSON.parse(JSON.stringify(new StepwellError('internal', 'No.', { details: null })))).toEqual({
      code: 'internal',
      message: 'No.',
      retryable: false,
      details: null,
    })
  })

  test('a provider error tells what it knows of the response', () => {
    const known = new ProviderError('provider.rate-limited', 'Later.', {
      status: 429,
      retryAfterMs: 1500,
      retryable: true,
    })
    expect(known.toJSON()).toEqual({
      code: 'provider.rate-limited',
      message: 'Later.',
      retryable: true,
      details: { status: 429, retryAfterMs: 1500 },
    })
    const unknown = new ProviderError('provider.unreachable', 'No route.')
    expect(unknown.sentOutput).toBe(false)
    expect(Object.keys(unknown.toJSON())).toEqual(['code', 'message', 'retryable'])
    const explained = new ProviderError('provider.quota', 'Empty.', { status: 429, details: { plan: 'free' } })
    expect(explained.toJSON().details).toEqual({ plan: 'free' })
  })
})

describe('thrownText', () => {
  const hostile = {
    toJSON() {
      throw new Error('no')
    },
  }
  const circular: Record<string, unknown> = {}
  circular.self = circular
  const nameless = new Error('')
  nameless.name = ''

  test.each<[string, unknown, string]>([
    ['undefined', undefined, 'undefined'],
    ['null', null, 'null'],
    ['text', 'broken', 'broken'],
    ['empty text', '', 'an empty text'],
    ['a number', 42, '42'],
    ['a symbol', Symbol('s'), 'Symbol(s)'],
    ['a bigint', 10n, '10'],
    ['an object', { code: 7 }, '{"code":7}'],
    ['an object without content', { toJSON: () => undefined }, 'an empty object'],
    ['an object that cannot be read', hostile, 'something indescribable'],
    ['a ring', circular, 'something indescribable'],
    ['an error', new Error('broken'), 'broken'],
    ['an error without a message', new TypeError(), 'TypeError'],
    ['an error without anything', nameless, 'Error'],
    ['a cause', new Error('fetch failed', { cause: new Error('refused') }), 'fetch failed (cause: refused)'],
    ['a cause that is text', new Error('broken', { cause: 'dust' }), 'broken (cause: dust)'],
    [
      'a failed connection',
      new Error('fetch failed', { cause: new AggregateError([new Error('refused')]) }),
      'fetch failed (cause: AggregateError (cause: refused))',
    ],
    ['several errors at once', new AggregateError([new Error('first')], 'both failed'), 'both failed'],
  ])('%s', (_what, thrown, text) => {
    expect(thrownText(thrown)).toBe(text)
  })

  test('causes that form a ring or never end stay short', () => {
    const one = new Error('one')
    const two = new Error('two', { cause: one })
    one.cause = two
    expect(thrownText(one).length).toBeLessThan(200)
    const self = new Error('self')
    self.cause = self
    expect(thrownText(self)).toBe('self')
  })

  test('anything gives text, never empty, and never throws', () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withSparseArray: true,
      withTypedArray: true,
    })
    const property = (thrown: unknown) => {
      expect(thrownText(thrown)).not.toBe('')
      expect(errorInfo(thrown)).toEqual({ code: 'internal', message: thrownText(thrown), retryable: false })
    }
    fc.assert(fc.property(anything, property), { seed: 4, numRuns: 500 })
  })
})

test('errorInfo keeps what a StepwellError says', () => {
  const error = new ProviderError('provider.idle', 'Silent.', { retryable: true, sentOutput: true })
  expect(errorInfo(error)).toEqual({ code: 'provider.idle', message: 'Silent.', retryable: true })
})
