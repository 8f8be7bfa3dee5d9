import type { JsonObject } from '../../protocol/json.ts'
import type { ModelSettings } from '../provider.ts'
import type { ModelTraits } from './models.ts'

const BUDGETS = { minimal: 1024, low: 4096, medium: 10_240, high: 24_576 }
/** The least the API accepts, and what is left for the answer. */
const LEAST = 1024

export interface Thinking {
  readonly thinking?: JsonObject
  readonly effort?: 'low' | 'medium' | 'high'
}

/** What `settings.reasoning` means for a model. Nothing asked, nothing sent: the model's own default holds. */
export function thinkingFor(
  reasoning: ModelSettings['reasoning'],
  traits: ModelTraits,
  request: { readonly maxTokens: number; readonly forcedTool: boolean; readonly begunWithout: boolean },
): Thinking {
  if (reasoning === undefined || traits.thinking === 'never') return {}
  if (traits.thinking === 'adaptive') {
    if (reasoning !== 'none') {
      return { thinking: { type: 'adaptive', display: 'summarized' }, effort: effortOf(reasoning) }
    }
    return traits.canStopThinking ? { thinking: { type: 'disabled' } } : { effort: 'low' }
  }
  // With a budget the API refuses forced tools, and to start thinking in a turn that was begun without it.
  if (reasoning === 'none' || request.forcedTool || request.begunWithout) return {}
  const asked = typeof reasoning === 'object' ? reasoning.budgetTokens : BUDGETS[reasoning]
  const budget = Math.min(Math.max(asked, LEAST), request.maxTokens - LEAST)
  return budget < LEAST ? {} : { thinking: { type: 'enabled', budget_tokens: budget } }
}

function effortOf(reasoning: Exclude<ModelSettings['reasoning'], 'none' | undefined>): 'low' | 'medium' | 'high' {
  if (typeof reasoning !== 'object') return reasoning === 'minimal' ? 'low' : reasoning
  if (reasoning.budgetTokens <= BUDGETS.low) return 'low'
  return reasoning.budgetTokens <= BUDGETS.medium ? 'medium' : 'high'
}
