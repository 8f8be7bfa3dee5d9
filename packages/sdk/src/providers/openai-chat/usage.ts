import { defined } from '../../protocol/fields.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { Usage } from '../../protocol/usage.ts'
import { fieldsOf } from '../frames.ts'
import { tokenCount } from '../tokens.ts'
import type { Quirks } from './quirks.ts'

/**
 * The tokens of a call from the last usage object its stream carried. Zeros for a prompt, or for an answer that has
 * something in it, are no report.
 */
export function chatUsage(raw: JsonObject, answered: boolean, { cost }: Pick<Quirks, 'cost'>): Usage {
  const { prompt_tokens_details: inPrompt, completion_tokens_details: inCompletion } = raw
  const { cached_tokens, cache_write_tokens } = fieldsOf(inPrompt)
  const prompt = tokenCount(raw.prompt_tokens ?? raw.input_tokens) || undefined
  const total = tokenCount(raw.total_tokens) || undefined
  const cached = tokenCount(cached_tokens ?? raw.prompt_cache_hit_tokens ?? raw.cached_tokens)
  const written = tokenCount(cache_write_tokens)
  const reasoning = tokenCount(fieldsOf(inCompletion).reasoning_tokens ?? raw.reasoning_tokens)
  const output = tokenCount(raw.completion_tokens ?? raw.output_tokens)
  const completion = output === 0 && answered ? undefined : output

  // Cached tokens are part of the prompt. Clamped, because some gateways count them against another prompt.
  const cacheRead = cached && Math.min(cached, prompt ?? cached)
  const cacheWrite = written && Math.min(written, prompt === undefined ? written : prompt - (cacheRead ?? 0))
  const isSplit = prompt !== undefined && completion !== undefined
  // xAI, and gateways to it, count reasoning beside the output; only the total shows it.
  const beside = isSplit && reasoning && total === prompt + completion + reasoning ? reasoning : 0
  const units = cost && raw[cost.field]
  return defined({
    inputTokens: prompt && prompt - (cacheRead ?? 0) - (cacheWrite ?? 0),
    cacheReadTokens: cacheRead,
    cacheWriteTokens: cacheWrite,
    outputTokens: completion === undefined ? undefined : completion + beside,
    reasoningTokens: reasoning,
    totalTokens: isSplit ? undefined : total,
    cost:
      cost && typeof units === 'number' && units >= 0 && units < Number.POSITIVE_INFINITY
        ? { amount: units * cost.usd, currency: 'USD' }
        : undefined,
  })
}
