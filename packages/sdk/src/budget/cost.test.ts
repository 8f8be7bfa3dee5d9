import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ModelPricing } from '../protocol/pricing.ts'
import { addUsage, NO_USAGE, type Usage, type UsageTotals } from '../protocol/usage.ts'
import { costOf } from './cost.ts'

const SONNET: ModelPricing = { currency: 'USD', input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }
const usd = (amount: number) => ({ amount, currency: 'USD' })

describe('costOf', () => {
  test.each<[string, Usage, number]>([
    ['input and output', { inputTokens: 1_000, outputTokens: 100 }, 0.0045],
    ['a single token', { inputTokens: 1, outputTokens: 0 }, 0.000003],
    ['cached tokens at their own price', { inputTokens: 0, cacheReadTokens: 10, outputTokens: 0 }, 0.000003],
    ['reasoning within the output', { inputTokens: 0, outputTokens: 100, reasoningTokens: 90 }, 0.0015],
    ['everything', { inputTokens: 7, cacheReadTokens: 1, cacheWriteTokens: 1, outputTokens: 1 }, 0.00004005],
    ['nothing', { inputTokens: 0, outputTokens: 0 }, 0],
  ])('counts %s', (_, usage, amount) => {
    expect(costOf(usage, SONNET)).toEqual(usd(amount))
  })

  test.each<[string, Usage, ModelPricing]>([
    ['the input was not reported', { outputTokens: 5 }, SONNET],
    ['the output was not reported', { inputTokens: 5 }, SONNET],
    ['only the sum was reported', { totalTokens: 5 }, SONNET],
    ['nothing was reported', {}, SONNET],
    [
      'cached tokens have no price',
      { inputTokens: 1, cacheReadTokens: 1, outputTokens: 1 },
      { currency: 'USD', input: 3, output: 15 },
    ],
    [
      'the price of the tier is not known',
      { inputTokens: 300_000, cacheWriteTokens: 1, outputTokens: 1 },
      { ...SONNET, tiers: [{ aboveInputTokens: 200_000, input: 6, output: 22.5 }] },
    ],
  ])('is unknown, never 0, when %s', (_, usage, pricing) => {
    expect(costOf(usage, pricing)).toBeUndefined()
  })

  test('a price that is not needed may be missing', () => {
    const pricing = { currency: 'EUR', input: 1, output: 2 }
    expect(costOf({ inputTokens: 1e6, cacheReadTokens: 0, outputTokens: 1e6 }, pricing)).toEqual({
      amount: 3,
      currency: 'EUR',
    })
  })

  test('a tier holds for the whole call, cached input counted, whatever the order of the tiers', () => {
    const tiers = [
      { aboveInputTokens: 400_000, input: 9, output: 30, cacheRead: 0.9 },
      { aboveInputTokens: 200_000, input: 6, output: 20, cacheRead: 0.6 },
    ]
    const pricing = { ...SONNET, tiers }
    const cost = (inputTokens: number, cacheReadTokens = 0) =>
      costOf({ inputTokens, cacheReadTokens, outputTokens: 1_000_000 }, pricing)?.amount
    expect(cost(200_000)).toBe(15.6)
    expect(cost(200_001)).toBe(21.200006)
    expect(cost(1, 200_000)).toBe(20.120006)
    expect(cost(400_001)).toBe(33.600009)
  })

  test('is exact to the billionth for any prices and counts', () => {
    const price = fc.nat({ max: 200_000_000 }).map((millionths) => millionths / 1e6)
    const tokens = fc.nat({ max: 2_000_000 })
    fc.assert(
      fc.property(price, price, price, tokens, tokens, tokens, (input, output, cacheRead, i, o, c) => {
        const usage = { inputTokens: i, outputTokens: o, cacheReadTokens: c }
        const amount = costOf(usage, { currency: 'USD', input, output, cacheRead })?.amount ?? Number.NaN
        const whole = (price: number, count: number) => BigInt(Math.round(price * 1e6)) * BigInt(count)
        const exact = whole(input, i) + whole(output, o) + whole(cacheRead, c)
        const off = BigInt(Math.round(amount * 1e9)) * 1_000n - exact
        expect(off <= 500n && off >= -500n).toBe(true)
      }),
      { seed: 21, numRuns: 500 },
    )
  })
})

test('the costs of calls add up to those of their runs and of the session, to the billionth', () => {
  const call = fc
    .record({ inputTokens: fc.nat(1e6), outputTokens: fc.nat(1e5), cacheReadTokens: fc.nat(1e6) })
    .map((usage): Usage => ({ ...usage, cost: costOf(usage, SONNET) as { amount: number; currency: string } }))
  const sum = (parts: readonly (Usage | UsageTotals)[]) => parts.reduce<UsageTotals>(addUsage, NO_USAGE)
  fc.assert(
    fc.property(fc.array(fc.array(call, { maxLength: 8 }), { maxLength: 8 }), (runs) => {
      const session = sum(runs.flat())
      expect(sum(runs.map(sum))).toEqual(session)
      expect(sum(runs.toReversed().flat())).toEqual(session)
      const billionths = runs
        .flat()
        .reduce((total, { cost }) => total + BigInt(Math.round((cost?.amount ?? 0) * 1e9)), 0n)
      expect(BigInt(Math.round((session.cost?.amount ?? 0) * 1e9))).toBe(billionths)
    }),
    { seed: 22, numRuns: 200 },
  )
})
