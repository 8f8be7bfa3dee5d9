import type { Budget, BudgetCall, BudgetDecision } from '../protocol/budget.ts'
import { StepwellError } from '../protocol/errors.ts'
import { normalise } from '../protocol/json.ts'
import type { Spending, Spent } from '../protocol/ledger.ts'
import type { Money } from '../protocol/usage.ts'

type Refusal = Extract<BudgetDecision, { ok: false }>

/** What is known of a call when it is refused. */
interface Judged {
  readonly budget: Budget
  readonly call: BudgetCall
  readonly estimate: Spending
  /** Absent where nothing had to be looked up. */
  readonly spent?: Spent
}

/** Why a call may not be made, with what to do about it. */
export function refusal(breach: Refusal['breach'], judged: Judged): Refusal {
  const { budget, estimate, spent } = judged
  const text = breach === 'unknown-pricing' ? unpricedText(judged) : usedUpText(breach, judged)
  const error = new StepwellError('budget.exceeded', text, {
    details: normalise({ breach, budget, estimate, spent }),
  })
  return { ok: false, breach, error: error.toJSON() }
}

function unpricedText({ budget, call, estimate }: Judged): string {
  const price = estimate.cost ? `charges in ${estimate.cost.currency}` : 'has no known price'
  return `${nameOf(budget)} is in ${budget.cost?.currency}, and ${call.model} ${price}. Give the model its prices, or the budget \`unknownPricing: 'allow'\`.`
}

function usedUpText(breach: Refusal['breach'], { budget, estimate, spent }: Judged): string {
  const figure = (cost: Money | undefined, tokens: number | undefined) =>
    breach === 'tokens' ? `${tokens ?? 0} tokens` : `${cost?.amount ?? 0} ${budget.cost?.currency}`
  const used = spent?.costs.find(({ currency }) => currency === budget.cost?.currency)
  const state = spent ? `, of which ${figure(used, spent.tokens)} are spent or reserved` : ''
  return `${nameOf(budget)} is ${figure(budget.cost, budget.tokens)}${state}, and the next call may take ${figure(estimate.cost, estimate.tokens)}. Raise it to go on.`
}

function nameOf({ per, scope }: Budget): string {
  const whose = scope === undefined ? '' : ` of ${scope}`
  return per === 'total' ? `The budget in total${whose}` : `The budget per ${per}${whose}`
}
