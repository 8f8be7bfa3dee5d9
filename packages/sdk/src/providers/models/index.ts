import { calcPrice, type ModelPrice } from '@pydantic/genai-prices'
import type { ModelPricing, PricingTier, TokenPrices } from '../../protocol/pricing.ts'
import type { ModelCapabilities } from '../provider.ts'

/** What the registry calls our prices, all per million tokens. */
const NAMES = {
  input: 'input_mtok',
  output: 'output_mtok',
  cacheRead: 'cache_read_mtok',
  cacheWrite: 'cache_write_mtok',
} as const

/** Charged beside the tokens we count, on every call: with one of these a price per token says too little. */
const SURCHARGES = ['requests_kcount', 'output_reasoning_mtok', 'output_citation_mtok']

/**
 * What the registry of `@pydantic/genai-prices` knows of a model, for a provider's `capabilities`: its prices in USD and
 * its context window. `provider` is who is paid (`openai`, `azure`, `openrouter`…), not who made the model. What it does
 * not know is absent, and so is a price that depends on more than tokens; an unknown model gives `{}`. Prices are those
 * of today; of those that change with the hour, the highest.
 */
export function modelInfo(provider: string, model: string): ModelCapabilities {
  const found = calcPrice({}, model, { providerId: provider })
  if (!found) return {}
  const { context_window: contextWindow, prices } = found.model
  const hourly = Array.isArray(prices) ? prices.filter(({ constraint }) => constraint?.type === 'time_of_date') : []
  const pricing = [found.model_price, ...hourly.map((one) => one.prices)].map(pricingOf).reduce(dearer)
  return { ...(contextWindow !== undefined && { contextWindow }), ...(pricing && { pricing }) }
}

function pricingOf(price: ModelPrice): ModelPricing | undefined {
  if (SURCHARGES.some((name) => price[name] !== undefined)) return undefined
  const base = pricesAbove(0, price)
  if (!base) return undefined
  const starts = new Set(
    Object.values(price).flatMap((one) => (typeof one === 'object' ? one.tiers.map(({ start }) => start) : [])),
  )
  const tiers = [...starts].flatMap((aboveInputTokens): PricingTier[] => {
    const prices = pricesAbove(aboveInputTokens, price)
    return prices ? [{ aboveInputTokens, ...prices }] : []
  })
  return { currency: 'USD', ...base, ...(tiers.length > 0 && { tiers }) }
}

/** The prices of calls with more input than that; undefined where input or output has none. */
function pricesAbove(inputTokens: number, price: ModelPrice): TokenPrices | undefined {
  const prices = new Map<string, number>()
  for (const [ours, theirs] of Object.entries(NAMES)) {
    const one = price[theirs]
    if (one === undefined) continue
    const tier = typeof one === 'object' ? one.tiers.findLast(({ start }) => start <= inputTokens) : undefined
    prices.set(ours, typeof one === 'object' ? (tier?.price ?? one.base) : one)
  }
  const { input, output, ...cached } = Object.fromEntries(prices)
  return input === undefined || output === undefined ? undefined : { input, output, ...cached }
}

function dearer(one: ModelPricing | undefined, other: ModelPricing | undefined): ModelPricing | undefined {
  return one && other && other.output > one.output ? other : one
}
