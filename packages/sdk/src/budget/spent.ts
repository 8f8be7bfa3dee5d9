import type { Budget } from '../protocol/budget.ts'
import { ConfigError } from '../protocol/errors.ts'
import type { Ledger, Spent } from '../protocol/ledger.ts'
import { accountOf } from './accounts.ts'

/** Which of the accounts of a budget is meant. */
export interface SpentWhere {
  /** Epoch ms, within the hour, day or month. */
  readonly at: number
  /** For budgets per session and per run. */
  readonly sessionId?: string
  /** For budgets per run. */
  readonly runId?: string
}

/**
 * What is spent of a budget, with the estimates of the calls under way. Throws `config.invalid` for a budget per call,
 * which is not counted, and where the session or run is missing.
 */
export async function spentOf(budget: Budget, where: SpentWhere, ledger: Ledger): Promise<Spent> {
  const { sessionId = '', runId = '' } = where
  const account = accountOf(budget, { sessionId, runId }, where.at)
  if (account === undefined || account.sessionId === '' || (budget.per === 'run' && runId === '')) {
    throw new ConfigError('config.invalid', `A budget per ${budget.per} has no sum without ${needs(budget.per)}.`)
  }
  return ledger.spent(account)
}

function needs(per: Budget['per']): string {
  return per === 'run' ? 'a session and a run' : per === 'session' ? 'a session' : 'more than one call'
}
