import { expect, test } from 'vitest'
import type { FlatUsage, NestedUsage, ProviderMetadata } from './stream-part.ts'
import { modelUsage } from './usage.ts'

type Nested = Partial<NestedUsage['inputTokens']>

function nested(input: Nested, output: Partial<NestedUsage['outputTokens']>): NestedUsage {
  return {
    inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined, ...input },
    outputTokens: { total: undefined, text: undefined, reasoning: undefined, ...output },
  }
}

function usageOf(usage: FlatUsage | NestedUsage, provider = 'acme', providerMetadata?: ProviderMetadata) {
  return modelUsage({ type: 'finish', finishReason: 'stop', usage, providerMetadata }, true, provider)
}

test.each([
  [
    'everything',
    nested({ total: 10, noCache: 3, cacheRead: 5, cacheWrite: 2 }, { total: 7, reasoning: 4 }),
    {
      inputTokens: 3,
      cacheReadTokens: 5,
      cacheWriteTokens: 2,
      outputTokens: 7,
      reasoningTokens: 4,
    },
  ],
  ['only totals', nested({ total: 10 }, { total: 7 }), { inputTokens: 10, outputTokens: 7 }],
  [
    'a total with its cache',
    nested({ total: 10, cacheRead: 4 }, { total: 7 }),
    {
      inputTokens: 6,
      cacheReadTokens: 4,
      outputTokens: 7,
    },
  ],
  [
    'hits against another prompt',
    nested({ total: 10, cacheRead: 40 }, { total: 7 }),
    {
      inputTokens: 0,
      cacheReadTokens: 40,
      outputTokens: 7,
    },
  ],
  [
    'reasoning counted beside the output',
    nested({ total: 10 }, { total: 26, reasoning: 227 }),
    {
      inputTokens: 10,
      outputTokens: 253,
      reasoningTokens: 227,
    },
  ],
  ['nothing', nested({}, {}), {}],
  ['zeros for what was said', nested({ total: 0, noCache: 0 }, { total: 0 }), {}],
])('since version 3: %s', (_, usage, expected) => {
  expect(usageOf(usage)).toEqual(expected)
})

const flat = { inputTokens: 10, outputTokens: 7, totalTokens: 17 }

test('in version 2 the input holds what was cached', () => {
  const usage = { ...flat, cachedInputTokens: 4, reasoningTokens: 2 }
  expect(usageOf(usage)).toEqual({ inputTokens: 6, cacheReadTokens: 4, outputTokens: 7, reasoningTokens: 2 })
})

test.each([
  ['anthropic.messages', { anthropic: { cacheCreationInputTokens: 3 } }, { cacheWriteTokens: 3 }],
  ['amazon-bedrock', undefined, {}],
])('except that of %s, where it stands beside', (provider, metadata, written) => {
  const usage = usageOf({ ...flat, cachedInputTokens: 4 }, provider, metadata)
  expect(usage).toEqual({ inputTokens: 10, cacheReadTokens: 4, outputTokens: 7, ...written })
})

test('in version 2 a total alone is kept', () => {
  expect(usageOf({ inputTokens: undefined, outputTokens: undefined, totalTokens: 17 })).toEqual({ totalTokens: 17 })
})
