import type { Budget, BudgetCall, BudgetDecision, BudgetPolicy } from '../protocol/budget.ts'
import type { Spending, SpendingLeft, SpendingLimit } from '../protocol/ledger.ts'
import { type Money, toBillionths } from '../protocol/money.ts'
import { totalTokens } from '../protocol/usage.ts'
import { accountOf } from './accounts.ts'
import { checkBudgets } from './check.ts'
import { costOf } from './cost.ts'
import { refusal } from './refusals.ts'

/** What a reply is expected to have when the request sets no limit. */
const EXPECTED_OUTPUT_TOKENS = 4_096

/** Budgets, or a function that gives those of a call. */
export type BudgetSource = readonly Budget[] | ((call: BudgetCall) => readonly Budget[] | Promise<readonly Budget[]>)

/**
 * Holds model calls within budgets. Throws `config.invalid` for a budget that limits nothing; where a function gives
 * one, `reserve` rejects with it.
 */
export function budget(source: BudgetSource): BudgetPolicy {
  if (typeof source !== 'function') checkBudgets(source)
  return {
    async reserve(call, ledger) {
      const given = typeof source === 'function' ? checkBudgets(await source(call)) : source
      const budgets = withOwn(given, checkBudgets(call.limits ?? []))
      const estimate = estimateOf(call)
      const refused = refusedAtOnce(budgets, call, estimate)
      if (refused) return refused
      const counted = budgets.flatMap((one) => {
        const account = accountOf(one, call.key, call.at)
        return account ? [{ budget: one, account, limit: limitOf(one) }] : []
      })
      if (counted.length === 0) return { ok: true }
      const claims = counted.map(({ account, limit }) => ({ account, limit }))
      const answer = await ledger.reserve(call.key, estimate, claims)
      if (answer.ok) return { ok: true }
      const { budget } = counted[answer.claim] as (typeof counted)[number]
      return refusal(answer.breach, { budget, call, estimate, spent: answer.spent })
    },

    async settle(key, usage, ledger) {
      const tokens = totalTokens(usage)
      const { left } = await ledger.settle(key, {
        ...(tokens !== undefined && { tokens }),
        ...(usage.cost && { cost: usage.cost }),
      })
      return left.length === 0 ? undefined : leastOf(left)
    },
  }
}

/** The run's own budgets take the place of those they are meant to change. */
function withOwn(given: readonly Budget[], own: readonly Budget[]): readonly Budget[] {
  const isReplaced = (one: Budget) => own.some((other) => other.per === one.per && other.scope === one.scope)
  return [...given.filter((one) => !isReplaced(one)), ...own]
}

function estimateOf({ inputTokens, maxOutputTokens, pricing }: BudgetCall): Spending {
  const usage = { inputTokens, outputTokens: maxOutputTokens ?? EXPECTED_OUTPUT_TOKENS }
  const cost = pricing && costOf(usage, pricing)
  return { tokens: usage.inputTokens + usage.outputTokens, ...(cost && { cost }) }
}

/** What can be told without the ledger. */
function refusedAtOnce(budgets: readonly Budget[], call: BudgetCall, estimate: Spending): BudgetDecision | undefined {
  for (const budget of budgets) {
    const { per, cost, tokens, unknownPricing } = budget
    const isPriced = estimate.cost !== undefined && estimate.cost.currency === cost?.currency
    if (cost && !isPriced && unknownPricing !== 'allow') return refusal('unknown-pricing', { budget, call, estimate })
    if (per !== 'call') continue
    if (isPriced && isMore(estimate.cost, cost)) return refusal('call-cost', { budget, call, estimate })
    if (tokens !== undefined && estimate.tokens > tokens) return refusal('tokens', { budget, call, estimate })
  }
  return undefined
}

function isMore(one: Money | undefined, other: Money | undefined): boolean {
  return one !== undefined && other !== undefined && toBillionths(one) > toBillionths(other)
}

function limitOf({ cost, tokens }: Budget): SpendingLimit {
  return { ...(cost && { cost }), ...(tokens !== undefined && { tokens }) }
}

/** The least that is left of any of them; of money, in the currency that is named first. */
function leastOf(left: readonly SpendingLeft[]): SpendingLeft {
  const tokens = left.flatMap((one) => one.tokens ?? [])
  const costs = left.flatMap((one) => one.cost ?? [])
  const least = costs
    .filter(({ currency }) => currency === costs[0]?.currency)
    .reduce<Money | undefined>((least, cost) => (least === undefined || isMore(least, cost) ? cost : least), undefined)
  return { ...(tokens.length > 0 && { tokens: Math.min(...tokens) }), ...(least && { cost: least }) }
}
