import type { Usage } from '../../protocol/usage.ts'
import { tokenCount } from '../tokens.ts'
import type { Finish, FlatUsage, NestedUsage, ProviderMetadata } from './stream-part.ts'

interface Counts {
  readonly input: number | undefined
  readonly cacheRead: number | undefined
  readonly cacheWrite: number | undefined
  readonly output: number | undefined
  readonly reasoning: number | undefined
}

/**
 * The tokens of a call. Zeros for a prompt, or for an answer that has something in it, are no report. Reasoning that is
 * more than the whole output was counted beside it, and is added.
 */
export function modelUsage({ usage, providerMetadata }: Finish, answered: boolean, provider: string): Usage {
  const flat = typeof usage.inputTokens !== 'object'
  const counts = flat ? flatCounts(usage as FlatUsage, providerMetadata, provider) : nestedCounts(usage as NestedUsage)
  const { input, cacheRead, cacheWrite, output, reasoning } = counts
  const prompt = (input ?? 0) + (cacheRead ?? 0) + (cacheWrite ?? 0)
  const total = flat ? tokenCount((usage as FlatUsage).totalTokens) : undefined
  const all = output !== undefined && reasoning !== undefined && reasoning > output ? output + reasoning : output
  const known = {
    ...(input !== undefined && prompt > 0 && { inputTokens: input }),
    ...(cacheRead !== undefined && { cacheReadTokens: cacheRead }),
    ...(cacheWrite !== undefined && { cacheWriteTokens: cacheWrite }),
    ...(all !== undefined && (all > 0 || !answered) && { outputTokens: all }),
    ...(reasoning !== undefined && { reasoningTokens: reasoning }),
  }
  const whole = known.inputTokens !== undefined && known.outputTokens !== undefined
  return whole || !total ? known : { ...known, totalTokens: total }
}

function nestedCounts({ inputTokens, outputTokens }: NestedUsage): Counts {
  const cacheRead = tokenCount(inputTokens.cacheRead)
  const cacheWrite = tokenCount(inputTokens.cacheWrite)
  const rest = withoutCache(tokenCount(inputTokens.total), cacheRead, cacheWrite)
  const input = tokenCount(inputTokens.noCache) ?? rest
  const output = tokenCount(outputTokens.total)
  return { input, cacheRead, cacheWrite, output, reasoning: tokenCount(outputTokens.reasoning) }
}

/** Version 2 does not say whether its input holds the cached tokens: those of Claude stand beside it, all others inside. */
function flatCounts(usage: FlatUsage, metadata: ProviderMetadata | undefined, provider: string): Counts {
  const input = tokenCount(usage.inputTokens)
  const cacheRead = tokenCount(usage.cachedInputTokens)
  const claude = metadata?.anthropic as { cacheCreationInputTokens?: unknown } | undefined
  const beside = claude !== undefined || /anthropic|bedrock/.test(provider)
  return {
    input: beside ? input : withoutCache(input, cacheRead, undefined),
    cacheRead,
    cacheWrite: tokenCount(claude?.cacheCreationInputTokens),
    output: tokenCount(usage.outputTokens),
    reasoning: tokenCount(usage.reasoningTokens),
  }
}

/** Never below zero: some gateways count hits against another prompt. */
function withoutCache(total: number | undefined, read = 0, written = 0): number | undefined {
  return total === undefined ? undefined : Math.max(0, total - read - written)
}
