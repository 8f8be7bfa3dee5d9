import type {
  AttemptKey,
  LedgerAccount,
  LedgerClaim,
  Reservation,
  Spending,
  SpendingLeft,
  Spent,
} from '../protocol/ledger.ts'
import { fromBillionths, toBillionths } from '../protocol/money.ts'

const TOKENS = 'tokens'
const UNPRICED = 'unpriced'

/**
 * Whole numbers by unit: `tokens`, `unpriced` calls, and billionths of each currency. What a ledger stores of an
 * account, and what a call adds to it.
 */
export type Amounts = ReadonlyMap<string, number>

/** A reservation as a ledger keeps it. */
export interface Booking {
  readonly key: AttemptKey
  /** The estimate, or what was spent once it is settled. */
  readonly spending: Spending
  readonly claims: readonly LedgerClaim[]
}

/** Names an attempt within its session. */
export function attemptName({ runId, turn, attempt, purpose }: AttemptKey): string {
  return JSON.stringify([runId, turn, attempt, purpose])
}

export function amountsOf({ tokens, cost }: Spending): Amounts {
  const amounts = new Map([[TOKENS, tokens]])
  if (cost) amounts.set(cost.currency, toBillionths(cost))
  else if (tokens > 0) amounts.set(UNPRICED, 1)
  return amounts
}

/** What changes an account from one to the other. */
export function difference(before: Amounts, after: Amounts): Amounts {
  const units = new Set([...before.keys(), ...after.keys()])
  return new Map([...units].map((unit) => [unit, (after.get(unit) ?? 0) - (before.get(unit) ?? 0)]))
}

/** What is absent stands at the estimate. */
export function actualOf(estimate: Spending, actual: Partial<Spending>): Spending {
  if (actual.tokens === 0 && actual.cost === undefined) return { tokens: 0 }
  const cost = actual.cost ?? estimate.cost
  return { tokens: actual.tokens ?? estimate.tokens, ...(cost && { cost }) }
}

/** The accounts of some claims, each once. */
export function accountsOf(claims: readonly LedgerClaim[]): LedgerAccount[] {
  const accounts = new Map(claims.map(({ account }) => [JSON.stringify([account.sessionId, account.name]), account]))
  return [...accounts.values()]
}

/** Why an estimate cannot be charged to accounts that hold `sums`, one for each claim; undefined when it can. */
export function refusalOf(
  estimate: Spending,
  claims: readonly LedgerClaim[],
  sums: readonly Amounts[],
): Extract<Reservation, { ok: false }> | undefined {
  const wanted = amountsOf(estimate)
  for (const [i, { limit }] of claims.entries()) {
    const sum = sums[i] ?? new Map()
    const isOver = (unit: string, most: number | undefined) =>
      most !== undefined && wanted.has(unit) && (sum.get(unit) ?? 0) + (wanted.get(unit) ?? 0) > most
    const currency = limit.cost?.currency ?? ''
    const breach = isOver(currency, limit.cost && toBillionths(limit.cost))
      ? 'cost'
      : isOver(TOKENS, limit.tokens)
        ? 'tokens'
        : undefined
    if (breach) return { ok: false, breach, claim: i, spent: spentOf(sum) }
  }
  return undefined
}

export function leftOf({ limit }: LedgerClaim, sum: Amounts): SpendingLeft {
  const left = (most: number, unit: string) => Math.max(0, most - (sum.get(unit) ?? 0))
  const { currency } = limit.cost ?? {}
  const isWhole = [...sum].every(([unit, amount]) => unit === TOKENS || unit === currency || amount === 0)
  return {
    ...(limit.tokens !== undefined && { tokens: left(limit.tokens, TOKENS) }),
    ...(limit.cost &&
      isWhole && { cost: fromBillionths(left(toBillionths(limit.cost), limit.cost.currency), limit.cost.currency) }),
  }
}

export function spentOf(sum: Amounts): Spent {
  const costs = [...sum].filter(([unit, amount]) => unit !== TOKENS && unit !== UNPRICED && amount !== 0)
  return {
    tokens: sum.get(TOKENS) ?? 0,
    costs: costs.map(([currency, amount]) => fromBillionths(amount, currency)).sort(byCurrency),
    unpriced: sum.get(UNPRICED) ?? 0,
  }
}

function byCurrency(one: { currency: string }, other: { currency: string }): number {
  return one.currency < other.currency ? -1 : 1
}
