import type { Usage } from '../../protocol/usage.ts'
import { tokenCount } from '../tokens.ts'

type Wire = Readonly<Record<string, unknown>>

const COUNTERS = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens', 'output_tokens'] as const

/**
 * The later report over the earlier one. Some gateways repeat the input as 0 at the end, which is no news of a prompt
 * that was already counted.
 */
export function laterUsage(earlier: Wire, later: unknown): Wire {
  if (typeof later !== 'object' || later === null) return earlier
  const merged: Record<string, unknown> = { ...earlier }
  for (const counter of COUNTERS) {
    const count = tokenCount((later as Wire)[counter])
    if (count !== undefined && (count > 0 || !tokenCount(merged[counter]))) merged[counter] = count
  }
  return merged
}

/** The API's input already excludes its cache. Zeros for a prompt or an answer that existed are no report. */
export function messagesUsage(raw: Wire, answered: boolean): Usage {
  const [input, cacheRead, cacheWrite, output] = COUNTERS.map((counter) => tokenCount(raw[counter]))
  const prompt = (input ?? 0) + (cacheRead ?? 0) + (cacheWrite ?? 0)
  return {
    ...(input !== undefined && prompt > 0 && { inputTokens: input }),
    ...(cacheRead !== undefined && { cacheReadTokens: cacheRead }),
    ...(cacheWrite !== undefined && { cacheWriteTokens: cacheWrite }),
    ...(output !== undefined && (output > 0 || !answered) && { outputTokens: output }),
  }
}
