import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../protocol/json.ts'
import { chatUsage } from './usage.ts'

const of = (raw: object, answered = true, cost?: { field: string; usd: number }) =>
  chatUsage(raw as JsonObject, answered, cost ? { cost } : {})

test.each<[string, object, object]>([
  [
    'cached and reasoning tokens inside',
    {
      prompt_tokens: 5100,
      completion_tokens: 100,
      total_tokens: 5200,
      prompt_tokens_details: { cached_tokens: 5000 },
      completion_tokens_details: { reasoning_tokens: 40 },
    },
    { inputTokens: 100, cacheReadTokens: 5000, outputTokens: 100, reasoningTokens: 40 },
  ],
  [
    'hits and misses',
    { prompt_tokens: 700, prompt_cache_hit_tokens: 640, prompt_cache_miss_tokens: 60, completion_tokens: 10 },
    { inputTokens: 60, cacheReadTokens: 640, outputTokens: 10 },
  ],
  [
    'reasoning beside the output, as the total shows',
    { prompt_tokens: 10, completion_tokens: 5, total_tokens: 23, completion_tokens_details: { reasoning_tokens: 8 } },
    { inputTokens: 10, outputTokens: 13, reasoningTokens: 8 },
  ],
  [
    'more reasoning than output, as the total does not show',
    { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, completion_tokens_details: { reasoning_tokens: 8 } },
    { inputTokens: 10, outputTokens: 5, reasoningTokens: 8 },
  ],
  [
    'more cached than asked',
    { prompt_tokens: 10, prompt_tokens_details: { cached_tokens: 12 }, completion_tokens: 1 },
    { inputTokens: 0, cacheReadTokens: 10, outputTokens: 1 },
  ],
  [
    'written to the cache',
    { prompt_tokens: 10, prompt_tokens_details: { cached_tokens: 2, cache_write_tokens: 5 }, completion_tokens: 1 },
    { inputTokens: 3, cacheReadTokens: 2, cacheWriteTokens: 5, outputTokens: 1 },
  ],
  ['text for numbers', { prompt_tokens: '7', completion_tokens: 3 }, { inputTokens: 7, outputTokens: 3 }],
  ['half a report', { prompt_tokens: 100, completion_tokens: null, total_tokens: null }, { inputTokens: 100 }],
  ['only a sum', { total_tokens: 50 }, { totalTokens: 50 }],
  ['zeros', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }, {}],
  ['nonsense', { prompt_tokens: -1, completion_tokens: 'many', total_tokens: Number.NaN }, {}],
])('%s', (_, raw, usage) => expect(of(raw)).toEqual(usage))

test('no output is an output of 0 where the answer is empty', () => {
  expect(of({ prompt_tokens: 3, completion_tokens: 0 }, false)).toEqual({ inputTokens: 3, outputTokens: 0 })
  const thought = { prompt_tokens: 2, completion_tokens: 0, total_tokens: 7, reasoning_tokens: 5 }
  expect(of(thought, false)).toEqual({ inputTokens: 2, outputTokens: 5, reasoningTokens: 5 })
})

test('a price is taken from the field of the vendor that has one', () => {
  const cost = { field: 'ticks', usd: 1e-10 }
  expect(of({ prompt_tokens: 1, completion_tokens: 1, ticks: 2_000_000 }, true, cost).cost).toEqual({
    amount: 0.0002,
    currency: 'USD',
  })
  expect(of({ prompt_tokens: 1, completion_tokens: 1, ticks: 'x' }, true, cost)).not.toHaveProperty('cost')
  expect(of({ prompt_tokens: 1, completion_tokens: 1, ticks: 1 })).not.toHaveProperty('cost')
})

test('counts are never negative, never NaN, and the parts of a prompt make the prompt', () => {
  const count = fc.oneof(
    fc.nat(1000),
    fc.integer(),
    fc.double(),
    fc.string(),
    fc.constant(null),
    fc.constant(undefined),
  )
  const raw = fc.record({
    prompt_tokens: count,
    completion_tokens: count,
    total_tokens: count,
    prompt_tokens_details: fc.oneof(fc.record({ cached_tokens: count, cache_write_tokens: count }), fc.constant(null)),
    completion_tokens_details: fc.oneof(fc.record({ reasoning_tokens: count }), fc.string()),
  })
  fc.assert(
    fc.property(raw, fc.boolean(), (given, answered) => {
      const usage = of(given, answered)
      for (const value of Object.values(usage)) {
        expect(Number.isFinite(value)).toBe(true)
        expect(value).toBeGreaterThanOrEqual(0)
      }
      const { prompt_tokens: prompt } = given
      if (typeof prompt === 'number' && Number.isInteger(prompt) && prompt > 0) {
        expect((usage.inputTokens ?? 0) + (usage.cacheReadTokens ?? 0) + (usage.cacheWriteTokens ?? 0)).toBe(prompt)
      }
    }),
    { seed: 3 },
  )
})
