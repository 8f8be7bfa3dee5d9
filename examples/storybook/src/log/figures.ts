import { type AssistantPart, addUsage, type RunConfig, type Usage, type UsageTotals } from '@stepwell/sdk'

export const MODEL = { provider: 'anthropic', model: 'claude-sonnet-4.5', api: 'anthropic' } as const

export const CONFIG: RunConfig & { readonly instructions: string } = {
  agent: 'shop-helper',
  instructionsHash: '5b1f',
  instructions: 'You help the developers of a small web shop. Say what you do before you do it. Ask before you write.',
  tools: { read_file: 'a1', edit_file: 'b2', run_checks: 'c3', ask_user: 'd4' },
  model: MODEL,
  maxTurns: 20,
}

const CHARS_PER_TOKEN = 4
const PROMPT_TOKENS = 4_180

/** What a reply of these parts may have cost. */
export function priced(parts: readonly AssistantPart[]): Usage {
  const outputTokens = Math.ceil(JSON.stringify(parts).length / CHARS_PER_TOKEN)
  const amount = (PROMPT_TOKENS * 3 + outputTokens * 15) / 1_000_000
  return {
    inputTokens: 620,
    cacheReadTokens: PROMPT_TOKENS - 620,
    outputTokens,
    cost: { amount: Math.round(amount * 10_000) / 10_000, currency: 'USD' },
  }
}

export function sumOf(totals: UsageTotals, call: Usage): UsageTotals {
  return addUsage(totals, call)
}
