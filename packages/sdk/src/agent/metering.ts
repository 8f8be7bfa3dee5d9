import type { EventDraft } from '../protocol/events.ts'
import { defined } from '../protocol/fields.ts'
import { addUsage, totalTokens, type Usage } from '../protocol/usage.ts'
import type { Attempt, Turn } from './attempt-record.ts'
import { rare } from './late.ts'
import type { RunScope } from './run-scope.ts'

/** What the attempt cost, by the provider's word or else by estimate, and what is left to spend. */
export async function usageOf(run: RunScope, turn: Turn, attempt: Attempt): Promise<EventDraft> {
  const { reply, failure, model: provider } = attempt
  const { model, capabilities } = provider
  const { budget } = run.runtime
  const call = toldUsage(attempt) ?? (await rare()).estimatedUsage(attempt)
  const budgetRemaining = budget && (await (await rare()).settleSpending(run, budget, turn, attempt.number, call))
  const { usage } = run.state
  // A call that took nothing says nothing about the context.
  const used = call.estimated ? undefined : totalTokens(call) || undefined
  const isCut = failure?.code === 'session.aborted' || attempt.cut !== undefined
  return defined({
    type: 'usage',
    runId: run.id,
    call,
    run: addUsage(usage.run, call),
    total: addUsage(usage.total, call),
    model: reply.done?.model ?? model,
    requestedModel: run.runtime.model.model,
    stop: failure === undefined ? (reply.done?.stop ?? 'unknown') : isCut ? 'aborted' : 'error',
    context: used === undefined ? undefined : defined({ used, window: capabilities.contextWindow }),
    budgetRemaining,
  })
}

/** Undefined when something is to be added: what was used, or what it cost at prices that are known. */
function toldUsage({ reply: { usage }, model }: Attempt): Usage | undefined {
  if (usage === undefined || Object.keys(usage).length === 0) return undefined
  return usage.cost === undefined && model.capabilities.pricing ? undefined : usage
}
