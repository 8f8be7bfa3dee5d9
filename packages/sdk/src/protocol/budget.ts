import type { ErrorInfo } from './errors.ts'
import type { AttemptKey, Ledger, SpendingLeft } from './ledger.ts'
import type { ModelPricing } from './pricing.ts'
import type { Money, Usage } from './usage.ts'

/** Which limit a call would exceed: money, tokens, that of a single call, or one that cannot be checked. */
export type Breach = 'cost' | 'tokens' | 'unknown-pricing' | 'call-cost'

/** The most that may be spent. At least one of `cost` and `tokens` is there. */
export interface Budget {
  /** What shares it: one call, one run, one session, a calendar hour, day or month in UTC, or everything there ever was. */
  readonly per: 'call' | 'run' | 'session' | 'hour' | 'day' | 'month' | 'total'
  /** Whose periods and totals they are, for instance `tenant:acme`. Default: everyone's together. */
  readonly scope?: string
  readonly cost?: Money
  /** Input, cached input and output. */
  readonly tokens?: number
  /** What becomes of a call whose cost in the currency of `cost` is not known. Default `block`. */
  readonly unknownPricing?: 'block' | 'allow'
}

/** A model call that is about to be made. */
export interface BudgetCall {
  readonly key: AttemptKey
  /** Epoch ms: decides which hour, day and month it belongs to. */
  readonly at: number
  /** For people. */
  readonly model: string
  readonly pricing?: ModelPricing
  /** An estimate. */
  readonly inputTokens: number
  /** The most the reply may have, when the request says so. */
  readonly maxOutputTokens?: number
  readonly principal?: string
  readonly tenant?: string
  /** Who asked for the run. */
  readonly by?: string
  /** The run's own budgets. One with the `per` and `scope` of an agent's takes its place. */
  readonly limits?: readonly Budget[]
}

export type BudgetDecision =
  | { readonly ok: true }
  | {
      readonly ok: false
      readonly breach: Breach
      /** `budget.exceeded`, with the budget, what is spent and the call's estimate in its details. */
      readonly error: ErrorInfo
    }

/** Decides whether a model call may be made, and keeps count of what it cost. */
export interface BudgetPolicy {
  /** Before the request leaves. Asked again for the same key it charges nothing twice. Rejects when the ledger does. */
  reserve(call: BudgetCall, ledger: Ledger): Promise<BudgetDecision>
  /**
   * After the attempt, however it ended. `usage` with its cost, where that is known. Gives the least that any budget
   * has left; undefined when no budget counts this call. Harmless to repeat. Rejects when the ledger does: the
   * reservation then stands at its estimate.
   */
  settle(key: AttemptKey, usage: Usage, ledger: Ledger): Promise<SpendingLeft | undefined>
}
