import { addUsage, NO_USAGE, type Usage, type UsageTotals } from '../../protocol/usage.ts'
import type { AGUIUsage, Dialect } from './events.ts'

export interface ModelCall {
  readonly provider: string | undefined
  readonly model: string
  readonly usage: Usage
}

/** What these calls cost, by provider and model. Our counters stand side by side; in AG-UI the totals hold the parts. */
export function usageOf(calls: readonly ModelCall[], dialect: Dialect): AGUIUsage[] {
  const sums = new Map<string, { readonly call: ModelCall; readonly usage: UsageTotals }>()
  for (const call of calls) {
    const key = JSON.stringify([call.provider, call.model])
    sums.set(key, { call, usage: addUsage(sums.get(key)?.usage ?? NO_USAGE, call.usage) })
  }
  return Array.from(sums.values(), ({ call, usage }) => entry(call, usage, dialect))
}

function entry({ provider, model }: ModelCall, usage: UsageTotals, dialect: Dialect): AGUIUsage {
  const { inputTokens, outputTokens, reasoningTokens, cacheReadTokens, cacheWriteTokens, totalTokens } = usage
  const input = inputTokens === undefined ? undefined : inputTokens + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0)
  const total = input === undefined || outputTokens === undefined ? totalTokens : input + outputTokens
  return {
    ...(provider !== undefined && { provider }),
    model,
    ...(input !== undefined && { inputTokens: input }),
    ...(outputTokens !== undefined && { outputTokens }),
    ...(total !== undefined && { totalTokens: total }),
    ...(reasoningTokens !== undefined && { reasoningTokens }),
    ...(cacheReadTokens !== undefined && { cachedInputTokens: cacheReadTokens }),
    ...(cacheWriteTokens !== undefined && dialect === '1.0' && { cacheWriteInputTokens: cacheWriteTokens }),
  }
}
