/** Money per million tokens. What is absent is unknown, never free. */
export interface TokenPrices {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
}

/** The prices of calls with much input: of all their tokens, not only of those above. */
export interface PricingTier extends TokenPrices {
  /** Holds for calls with more input tokens than this, cached ones included. */
  readonly aboveInputTokens: number
}

/** What a model charges, in one currency. */
export interface ModelPricing extends TokenPrices {
  /** ISO 4217. */
  readonly currency: string
  /** The highest tier that a call is above holds for it. */
  readonly tiers?: readonly PricingTier[]
}
