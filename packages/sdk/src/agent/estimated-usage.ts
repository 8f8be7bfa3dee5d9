import { costOf } from '../budget/cost.ts'
import { tokensOfLength } from '../context/estimate.ts'
import { ProviderError } from '../protocol/errors.ts'
import type { Usage } from '../protocol/usage.ts'
import type { Attempt } from './attempt-record.ts'
import { NOT_SENT } from './spending.ts'

/** What a call used and cost, where the provider did not say both: by our own estimate, at the model's prices. */
export function estimatedUsage(attempt: Attempt): Usage {
  const used = usedTokens(attempt)
  const { pricing } = attempt.model.capabilities
  const cost = used.cost ?? (pricing && costOf(used, pricing))
  return cost === undefined ? used : { ...used, cost }
}

function usedTokens({ reply, failure, estimatedTokens, isSent }: Attempt): Usage {
  if (!isSent) return NOT_SENT
  if (reply.usage !== undefined && Object.keys(reply.usage).length > 0) return reply.usage
  // A refusal that came before any output was not billed either.
  if (failure instanceof ProviderError && failure.status !== undefined && reply.length === 0) {
    return NOT_SENT
  }
  return { inputTokens: estimatedTokens, outputTokens: tokensOfLength(reply.length), estimated: true }
}
