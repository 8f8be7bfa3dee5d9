import { isObject } from '../../protocol/json.ts'
import type { Usage } from '../../protocol/usage.ts'
import { tokenCount } from '../tokens.ts'

/**
 * The API counts cached tokens inside the input, and reasoning inside the output. Where its own total says that the
 * reasoning stands outside, it is added. Zeros for a prompt or an answer that existed are no report.
 */
export function responseUsage(raw: unknown, answered: boolean): Usage | undefined {
  if (!isObject(raw)) return undefined
  const input = tokenCount(raw.input_tokens)
  const output = tokenCount(raw.output_tokens)
  const hits = tokenCount(isObject(raw.input_tokens_details) ? raw.input_tokens_details.cached_tokens : undefined)
  const reasoning = tokenCount(
    isObject(raw.output_tokens_details) ? raw.output_tokens_details.reasoning_tokens : undefined,
  )
  const total = tokenCount(raw.total_tokens)
  // Some gateways count hits against another prompt.
  const cached = hits === undefined || input === undefined ? hits : Math.min(hits, input)
  const outside =
    reasoning !== undefined &&
    reasoning > 0 &&
    total !== undefined &&
    total === (input ?? 0) + (output ?? 0) + reasoning
  const all = outside ? (output ?? 0) + reasoning : output
  const usage = {
    ...(input !== undefined && input > 0 && { inputTokens: input - (cached ?? 0) }),
    ...(cached !== undefined && { cacheReadTokens: cached }),
    ...(all !== undefined && (all > 0 || !answered) && { outputTokens: all }),
    ...(reasoning !== undefined && { reasoningTokens: reasoning }),
  }
  if (usage.inputTokens !== undefined || usage.outputTokens !== undefined || !total) return usage
  return { ...usage, totalTokens: total }
}
