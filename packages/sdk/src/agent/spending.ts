import type { BudgetDecision, BudgetPolicy } from '../protocol/budget.ts'
import { errorInfo } from '../protocol/errors.ts'
import type { AttemptKey, SpendingLeft } from '../protocol/ledger.ts'
import { unlessAborted } from '../protocol/unless-aborted.ts'
import type { Usage } from '../protocol/usage.ts'
import type { Turn } from './attempt-record.ts'
import { logThrown } from './log-thrown.ts'
import { closeReply } from './recover.ts'
import type { Ending, RunScope } from './run-scope.ts'

/** The usage of a request that never left. */
export const NOT_SENT: Usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 }

/** What the budget forbids is not asked for: everything stays as it is, and a higher limit lets the run go on. */
export async function refusedByBudget(
  run: RunScope,
  budget: BudgetPolicy,
  turn: Turn,
  attempt: number,
): Promise<Ending | undefined> {
  let refusal: Ending
  try {
    const reserving = reserve(run, budget, turn, attempt)
    const decision = await unlessAborted(run.signal, reserving)
    if (decision?.ok) return undefined
    // What is reserved too late is given back.
    if (decision === undefined)
      reserving.then(() => settleSpending(run, budget, turn, attempt, NOT_SENT)).catch(() => {})
    refusal =
      decision === undefined
        ? { reason: 'aborted' }
        : { reason: 'budget-exceeded', breach: decision.breach, error: decision.error }
  } catch (thrown) {
    refusal = { reason: 'error', error: errorInfo(thrown) }
  }
  run.sequence(closeReply(run.state))
  return refusal
}

/** Rejects when the ledger fails: then the attempt may not be made. */
async function reserve(run: RunScope, budget: BudgetPolicy, turn: Turn, attempt: number): Promise<BudgetDecision> {
  const { model, capabilities } = run.model
  const { principal, tenant } = run.state.row
  const { maxOutputTokens } = run.settings
  const { limits } = run.state.run?.config ?? {}
  return budget.reserve(
    {
      key: keyOf(run, turn, attempt),
      at: run.clock.now(),
      model,
      inputTokens: turn.estimatedTokens,
      ...(capabilities.pricing && { pricing: capabilities.pricing }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      ...(principal !== undefined && { principal }),
      ...(tenant !== undefined && { tenant }),
      ...(run.by !== undefined && { by: run.by }),
      ...(limits && { limits }),
    },
    run.runtime.store.ledger,
  )
}

/** Puts what an attempt cost in the place of what was reserved. A ledger that fails leaves the reservation at its estimate. */
export async function settleSpending(
  run: RunScope,
  budget: BudgetPolicy,
  turn: Turn,
  attempt: number,
  call: Usage,
): Promise<SpendingLeft | undefined> {
  const { store, logger } = run.runtime
  try {
    return await budget.settle(keyOf(run, turn, attempt), call, store.ledger)
  } catch (thrown) {
    logThrown(logger, 'warn', 'A budget could not be settled', { runId: run.id })(thrown)
    return undefined
  }
}

function keyOf(run: RunScope, { number: turn, purpose }: Turn, attempt: number): AttemptKey {
  return { sessionId: run.state.id, runId: run.id, turn, attempt, purpose }
}
