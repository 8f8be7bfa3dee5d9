import { fromBillionths, type Money } from '../protocol/money.ts'
import type { ModelPricing, TokenPrices } from '../protocol/pricing.ts'
import type { Usage } from '../protocol/usage.ts'

/** Prices have at most so many parts of a unit: with whole numbers nothing is lost before the last rounding. */
const PARTS = 1_000_000

/**
 * What a call cost, to the billionth of a unit. Undefined when it cannot be told: the input or the output was not
 * reported, or some of its tokens have no price.
 */
export function costOf(usage: Usage, pricing: ModelPricing): Money | undefined {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage
  if (inputTokens === undefined || outputTokens === undefined) return undefined
  const prices = pricesFor(inputTokens + cacheReadTokens + cacheWriteTokens, pricing)
  let parts = 0
  for (const [tokens, price] of [
    [inputTokens, prices.input],
    [cacheReadTokens, prices.cacheRead],
    [cacheWriteTokens, prices.cacheWrite],
    [outputTokens, prices.output],
  ] as const) {
    if (tokens === 0) continue
    if (price === undefined) return undefined
    parts += tokens * Math.round(price * PARTS)
  }
  // A part of a unit for a million tokens is a billionth of a thousandth for each.
  return fromBillionths(Math.round(parts / 1_000), pricing.currency)
}

function pricesFor(inputTokens: number, pricing: ModelPricing): TokenPrices {
  let prices: TokenPrices = pricing
  let above = 0
  for (const tier of pricing.tiers ?? []) {
    if (inputTokens <= tier.aboveInputTokens || tier.aboveInputTokens < above) continue
    prices = tier
    above = tier.aboveInputTokens
  }
  return prices
}
