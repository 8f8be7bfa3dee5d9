import { fromBillionths, type Money, toBillionths } from './money.ts'

export type { Money }

/**
 * Tokens of one model call, normalised once by the provider. The counters do not overlap, so they add up:
 * total = `inputTokens` + `cacheReadTokens` + `cacheWriteTokens` + `outputTokens`; `reasoningTokens` is contained in
 * `outputTokens`. What the provider did not report is absent: unknown is never 0.
 */
export interface Usage {
  /** Input tokens that were neither read from nor written to a cache. */
  readonly inputTokens?: number
  readonly cacheReadTokens?: number
  readonly cacheWriteTokens?: number
  readonly outputTokens?: number
  readonly reasoningTokens?: number
  /** The sum; reported alone by providers that do not say how it splits. */
  readonly totalTokens?: number
  readonly cost?: Money
  /** The provider said nothing or too little: the figures are our estimate. */
  readonly estimated?: true
}

/** Sums over calls. Sums hold what is known; `incomplete` says that some call did not report its share. */
export interface UsageTotals extends Usage {
  /** Model calls, failed and aborted ones included. */
  readonly requests: number
  readonly incomplete?: true
}

export interface ContextUsage {
  /** Tokens the last request occupied in the model's context window. */
  readonly used: number
  readonly window?: number
  /** Where compaction starts. */
  readonly threshold?: number
}

export const NO_USAGE: UsageTotals = { requests: 0 }

const COUNTERS = [
  'inputTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'outputTokens',
  'reasoningTokens',
  'totalTokens',
] as const

/** Adds one call (`requests: 1`) or another sum. */
export function addUsage(totals: UsageTotals, usage: Usage | UsageTotals): UsageTotals {
  // A sum's own total is never derived from its parts: they may come from different calls.
  const added = 'requests' in usage ? usage : { ...usage, requests: 1, totalTokens: totalTokens(usage) }
  const both = [totals, added]
  const sum: { -readonly [K in keyof UsageTotals]: UsageTotals[K] } = { requests: totals.requests + added.requests }
  for (const counter of COUNTERS) {
    for (const { [counter]: tokens } of both) if (tokens !== undefined) sum[counter] = (sum[counter] ?? 0) + tokens
  }
  const currency = (totals.cost ?? added.cost)?.currency
  if (currency !== undefined) {
    let billionths = 0
    for (const { cost } of both) if (cost?.currency === currency) billionths += toBillionths(cost)
    sum.cost = fromBillionths(billionths, currency)
  }
  for (const { requests, inputTokens, outputTokens, cost, estimated, incomplete } of both as readonly UsageTotals[]) {
    if (estimated) sum.estimated = true
    const isWhole = inputTokens !== undefined && outputTokens !== undefined && cost?.currency === currency
    if (incomplete || (requests > 0 && !isWhole)) sum.incomplete = true
  }
  return sum
}

/** All tokens of a call, or undefined when that is not known. */
export function totalTokens(usage: Usage): number | undefined {
  const { inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0, outputTokens } = usage
  const isSplit = inputTokens !== undefined && outputTokens !== undefined
  return usage.totalTokens ?? (isSplit ? inputTokens + cacheReadTokens + cacheWriteTokens + outputTokens : undefined)
}
