import type { Usage } from '../../protocol/usage.ts'
import { isObject } from '../frames.ts'
import { tokenCount } from '../tokens.ts'
import type { Quirks } from './quirks.ts'

type Wire = Readonly<Record<string, unknown>>

/**
 * The tokens of a call from the last usage object its stream carried. Zeros for a prompt, or for an answer that has
 * something in it, are no report.
 */
export function chatUsage(raw: Wire, answered: boolean, quirks: Pick<Quirks, 'cost'>): Usage {
  const prompt = reported(raw.prompt_tokens ?? raw.input_tokens, false)
  const completion = reported(raw.completion_tokens ?? raw.output_tokens, !answered)
  const total = reported(raw.total_tokens, false)
  const promptDetails: Wire = isObject(raw.prompt_tokens_details) ? raw.prompt_tokens_details : {}
  const completionDetails: Wire = isObject(raw.completion_tokens_details) ? raw.completion_tokens_details : {}
  const cached = tokenCount(promptDetails.cached_tokens ?? raw.prompt_cache_hit_tokens ?? raw.cached_tokens)
  const written = tokenCount(promptDetails.cache_write_tokens)
  const reasoning = tokenCount(completionDetails.reasoning_tokens ?? raw.reasoning_tokens)

  // Cached tokens are part of the prompt. Clamped, because some gateways count them against another prompt.
  const cacheRead = cached === undefined || prompt === undefined ? cached : Math.min(cached, prompt)
  const cacheWrite =
    written === undefined || prompt === undefined ? written : Math.min(written, prompt - (cacheRead ?? 0))
  const cost = priceOf(raw, quirks)
  return {
    ...(prompt !== undefined && { inputTokens: prompt - (cacheRead ?? 0) - (cacheWrite ?? 0) }),
    ...(cacheRead !== undefined && { cacheReadTokens: cacheRead }),
    ...(cacheWrite !== undefined && { cacheWriteTokens: cacheWrite }),
    ...(completion !== undefined && { outputTokens: withReasoning(completion, { prompt, total, reasoning }) }),
    ...(reasoning !== undefined && { reasoningTokens: reasoning }),
    ...(total !== undefined && (prompt === undefined || completion === undefined) && { totalTokens: total }),
    ...(cost !== undefined && { cost: { amount: cost, currency: 'USD' } }),
  }
}

/** xAI, and gateways to it, count reasoning beside the output; only the total shows it. */
function withReasoning(
  completion: number,
  {
    prompt,
    total,
    reasoning,
  }: { prompt: number | undefined; total: number | undefined; reasoning: number | undefined },
): number {
  if (prompt === undefined || total === undefined || !reasoning) return completion
  return total === prompt + completion + reasoning ? completion + reasoning : completion
}

function priceOf(raw: Wire, { cost }: Pick<Quirks, 'cost'>): number | undefined {
  const units = cost === undefined ? undefined : raw[cost.field]
  return typeof units === 'number' && Number.isFinite(units) && units >= 0 ? units * (cost?.usd ?? 0) : undefined
}

function reported(value: unknown, zeroCounts: boolean): number | undefined {
  const count = tokenCount(value)
  return count === 0 && !zeroCounts ? undefined : count
}
