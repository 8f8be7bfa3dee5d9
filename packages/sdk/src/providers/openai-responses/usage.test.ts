import { expect, test } from 'vitest'
import { responseUsage } from './usage.ts'

test.each([
  [
    'cached input is counted inside the input',
    { input_tokens: 50, input_tokens_details: { cached_tokens: 30 }, output_tokens: 20, total_tokens: 70 },
    { inputTokens: 20, cacheReadTokens: 30, outputTokens: 20 },
  ],
  [
    'reasoning is counted inside the output',
    { input_tokens: 1, output_tokens: 20, output_tokens_details: { reasoning_tokens: 12 }, total_tokens: 21 },
    { inputTokens: 1, outputTokens: 20, reasoningTokens: 12 },
  ],
  [
    'reasoning that the total shows to be outside is added',
    { input_tokens: 1, output_tokens: 20, output_tokens_details: { reasoning_tokens: 12 }, total_tokens: 33 },
    { inputTokens: 1, outputTokens: 32, reasoningTokens: 12 },
  ],
  [
    'no more is cached than was sent',
    { input_tokens: 10, input_tokens_details: { cached_tokens: 12 }, output_tokens: 1 },
    { inputTokens: 0, cacheReadTokens: 10, outputTokens: 1 },
  ],
  ['zeros for what existed are unknown', { input_tokens: 0, output_tokens: 0, total_tokens: 0 }, {}],
  ['a total alone stays one', { total_tokens: 9 }, { totalTokens: 9 }],
  ['nothing is no report', null, undefined],
])('%s', (_, raw, expected) => {
  expect(responseUsage(raw, true)).toEqual(expected)
})
