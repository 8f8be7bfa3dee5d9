import { expect, test } from 'vitest'
import { laterUsage, messagesUsage } from './usage.ts'

function usage(...reports: object[]) {
  return messagesUsage(
    reports.reduce<object>((earlier, later) => laterUsage(earlier as Record<string, unknown>, later), {}) as Record<
      string,
      unknown
    >,
    true,
  )
}

test('the input excludes what the cache served and took', () => {
  const raw = {
    input_tokens: 100,
    cache_read_input_tokens: 5000,
    cache_creation_input_tokens: 1000,
    output_tokens: 100,
  }
  expect(usage(raw)).toEqual({ inputTokens: 100, cacheReadTokens: 5000, cacheWriteTokens: 1000, outputTokens: 100 })
})

test.each([
  [
    'the later report wins',
    [
      { input_tokens: 20, output_tokens: 1 },
      { input_tokens: 90, output_tokens: 8 },
    ],
    { inputTokens: 90, outputTokens: 8 },
  ],
  [
    'what it leaves out stays',
    [{ input_tokens: 20, cache_read_input_tokens: 3 }, { output_tokens: 8 }],
    { inputTokens: 20, cacheReadTokens: 3, outputTokens: 8 },
  ],
  [
    'a late zero is no news',
    [{ input_tokens: 20 }, { input_tokens: 0, output_tokens: 8 }],
    { inputTokens: 20, outputTokens: 8 },
  ],
  ['zeros for what existed are unknown', [{ input_tokens: 0, output_tokens: 0 }], {}],
  [
    'a prompt may come from the cache alone',
    [{ input_tokens: 0, cache_read_input_tokens: 9, output_tokens: 1 }],
    { inputTokens: 0, cacheReadTokens: 9, outputTokens: 1 },
  ],
  [
    'text counts, nonsense does not',
    [{ input_tokens: '7', output_tokens: -1, cache_read_input_tokens: null }],
    { inputTokens: 7 },
  ],
])('%s', (_, reports, expected) => {
  expect(usage(...reports)).toEqual(expected)
})

test('an answer of nothing costs nothing', () => {
  expect(messagesUsage({ input_tokens: 3, output_tokens: 0 }, false)).toEqual({ inputTokens: 3, outputTokens: 0 })
})
