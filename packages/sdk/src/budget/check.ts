import type { Budget } from '../protocol/budget.ts'
import { ConfigError } from '../protocol/errors.ts'
import { toBillionths } from '../protocol/money.ts'

const PERS: readonly string[] = ['call', 'run', 'session', 'hour', 'day', 'month', 'total'] satisfies Budget['per'][]

/** Throws `config.invalid` for a budget that would not limit what it seems to. */
export function checkBudgets(budgets: readonly Budget[]): readonly Budget[] {
  if (!Array.isArray(budgets)) throw new ConfigError('config.invalid', 'Budgets are a list.')
  for (const budget of budgets as readonly Budget[]) {
    const wrong = wrongIn(budget ?? {})
    if (wrong) throw new ConfigError('config.invalid', `A budget ${wrong}: ${JSON.stringify(budget)}`)
  }
  return budgets
}

function wrongIn({ per, cost, tokens, unknownPricing }: Budget): string | undefined {
  if (!PERS.includes(per)) return `is per one of ${PERS.join(', ')}`
  if (cost === undefined && tokens === undefined) return 'needs a limit, `cost` or `tokens`'
  if (cost && !(isLimit(cost.amount) && isLimit(toBillionths(cost))))
    return 'has a `cost.amount` of 0 or more, below 1e299'
  if (cost && !/^[A-Z]{3}$/.test(cost.currency)) return 'has a currency of three capital letters, like USD'
  if (tokens !== undefined && !isLimit(tokens)) return 'has `tokens` of 0 or more'
  if (!['block', 'allow', undefined].includes(unknownPricing)) return "has the `unknownPricing` 'block' or 'allow'"
  return undefined
}

function isLimit(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}
