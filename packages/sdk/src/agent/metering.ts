import { costOf } from '../budget/cost.ts'
import { tokensOfLength } from '../context/estimate.ts'
import type { BudgetDecision } from '../protocol/budget.ts'
import { ProviderError, thrownText } from '../protocol/errors.ts'
import type { EventDraft } from '../protocol/events.ts'
import type { AttemptKey, SpendingLeft } from '../protocol/ledger.ts'
import { addUsage, totalTokens, type Usage } from '../protocol/usage.ts'
import type { Attempt, Turn } from './attempt.ts'
import type { RunScope } from './run-scope.ts'

/** Asks the budget whether an attempt may be made. Rejects when the ledger fails: then it may not. */
export async function reserve(run: RunScope, turn: Turn, attempt: number): Promise<BudgetDecision> {
  const { budget, store } = run.runtime
  if (budget === undefined) return { ok: true }
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
    store.ledger,
  )
}

/** What the attempt cost, by the provider's word or else by estimate, and what is left to spend. Never rejects. */
export async function usageOf(run: RunScope, turn: Turn, attempt: Attempt): Promise<EventDraft> {
  const { reply, failure, model: provider } = attempt
  const { model, capabilities } = provider
  const counted = callUsage(attempt)
  const cost = counted.cost ?? (capabilities.pricing && costOf(counted, capabilities.pricing))
  const call: Usage = cost === undefined ? counted : { ...counted, cost }
  const budgetRemaining = await settle(run, keyOf(run, turn, attempt.number), call)
  const { usage } = run.state
  const used = call.estimated ? undefined : totalTokens(call)
  const { contextWindow: window } = capabilities
  const isCut = failure?.code === 'session.aborted' || attempt.cut !== undefined
  return {
    type: 'usage',
    runId: run.id,
    call,
    run: addUsage(usage.run, call),
    total: addUsage(usage.total, call),
    model: reply.done?.model ?? model,
    requestedModel: run.runtime.model.model,
    stop: failure === undefined ? (reply.done?.stop ?? 'unknown') : isCut ? 'aborted' : 'error',
    ...(used !== undefined && { context: { used, ...(window !== undefined && { window }) } }),
    ...(budgetRemaining && { budgetRemaining }),
  }
}

/** A ledger that fails leaves the reservation at its estimate. */
async function settle(run: RunScope, key: AttemptKey, call: Usage): Promise<SpendingLeft | undefined> {
  const { budget, store, logger } = run.runtime
  try {
    return await budget?.settle(key, call, store.ledger)
  } catch (thrown) {
    logger.log('warn', 'A budget could not be settled', { runId: run.id, error: thrownText(thrown) })
    return undefined
  }
}

function keyOf(run: RunScope, { number: turn, purpose }: Turn, attempt: number): AttemptKey {
  return { sessionId: run.state.id, runId: run.id, turn, attempt, purpose }
}

function callUsage({ reply, failure, estimatedTokens }: Attempt): Usage {
  if (reply.usage !== undefined && Object.keys(reply.usage).length > 0) return reply.usage
  // A refusal that came before any output was not billed.
  if (failure instanceof ProviderError && failure.status !== undefined && reply.length === 0) {
    return { inputTokens: 0, outputTokens: 0, totalTokens: 0 }
  }
  return { inputTokens: estimatedTokens, outputTokens: tokensOfLength(reply.length), estimated: true }
}
