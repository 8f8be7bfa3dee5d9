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
  const isSum = 'requests' in usage
  const requests = isSum ? usage.requests : 1
  const sum: { -readonly [K in keyof UsageTotals]: UsageTotals[K] } = { requests: totals.requests + requests }
  for (const counter of COUNTERS) {
    // A sum's own total is never derived from its parts: they may come from different calls.
    const added = counter === 'totalTokens' && !isSum ? totalTokens(usage) : usage[counter]
    const count = totals[counter]
    if ((count ?? added) !== undefined) sum[counter] = (count ?? 0) + (added ?? 0)
  }
  const currency = (totals.cost ?? usage.cost)?.currency
  if (currency !== undefined) {
    sum.cost = fromBillionths(billionthsIn(currency, totals) + billionthsIn(currency, usage), currency)
  }
  if (totals.estimated || usage.estimated) sum.estimated = true
  if (isPartial(totals, totals.requests, currency) || isPartial(usage, requests, currency)) sum.incomplete = true
  return sum
}

function billionthsIn(currency: string, { cost }: Usage): number {
  return cost?.currency === currency ? toBillionths(cost) : 0
}

/** Whether some call did not report its share. */
function isPartial(usage: Usage & Pick<UsageTotals, 'incomplete'>, requests: number, currency?: string): boolean {
  const { inputTokens, outputTokens, incomplete, cost } = usage
  const isSilent = inputTokens === undefined || outputTokens === undefined || cost?.currency !== currency
  return incomplete === true || (requests > 0 && isSilent)
}

/** All tokens of a call, or undefined when that is not known. */
export function totalTokens(usage: Usage): number | undefined {
  const { totalTokens: total, inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage
  if (total !== undefined) return total
  if (inputTokens === undefined || outputTokens === undefined) return undefined
  return inputTokens + cacheReadTokens + cacheWriteTokens + outputTokens
}
