import type { Money } from './usage.ts'

/** One attempt at a model call: what its `turn-start` says. */
export interface AttemptKey {
  readonly sessionId: string
  readonly runId: string
  readonly turn: number
  readonly attempt: number
  readonly purpose: 'reply' | 'compaction' | 'grace'
}

/** What is spent from: a sum of tokens, and one of money in each currency. */
export interface LedgerAccount {
  readonly name: string
  /** Whose it is: it goes when that session is deleted. Absent: nobody's, and it stays. */
  readonly sessionId?: string
}

export interface Spending {
  readonly tokens: number
  /** Absent: unknown. */
  readonly cost?: Money
}

export interface SpendingLimit {
  readonly tokens?: number
  readonly cost?: Money
}

/** An account that a call is charged to, and the most that may be spent from it. */
export interface LedgerClaim {
  readonly account: LedgerAccount
  readonly limit: SpendingLimit
}

/** What was spent from an account, with the estimates of the calls under way. */
export interface Spent {
  readonly tokens: number
  /** One sum for each currency, in alphabetical order. */
  readonly costs: readonly Money[]
  /** Calls whose cost is unknown: they are in `tokens`, not in `costs`. */
  readonly unpriced: number
}

/** What is left of a limit, at least 0. A cost is absent when some call of the account is unpriced or in another currency. */
export type SpendingLeft = SpendingLimit

export type Reservation =
  | {
      readonly ok: true
      /** One for each claim, in their order. */
      readonly left: readonly SpendingLeft[]
    }
  | {
      readonly ok: false
      readonly breach: 'cost' | 'tokens'
      /** The index of the claim that has no room. */
      readonly claim: number
      readonly spent: Spent
    }

export interface Settlement {
  /** False when there was nothing to settle: the key is unknown or settled already, and nothing was changed. */
  readonly settled: boolean
  /** One for each claim of the reservation, in their order; none for an unknown key. */
  readonly left: readonly SpendingLeft[]
}

export interface OpenReservation {
  readonly key: AttemptKey
  readonly estimate: Spending
}

/**
 * What was spent, kept with the sessions so that no crash resets it. Each method is atomic, also between processes, and
 * rejects like the store's others. Money is whole billionths of its unit, so sums are exact.
 *
 * A reservation counts at its estimate from the moment it is made. One that a crash left open goes on counting.
 */
export interface Ledger {
  /**
   * Charges the estimate to the account of every claim, or to none of them when it does not fit into one. An account
   * named twice is charged once. A key that was reserved before is answered `ok` and changes nothing.
   * Rejects with `session.not-found` when a session that is named does not exist.
   */
  reserve(key: AttemptKey, estimate: Spending, claims: readonly LedgerClaim[]): Promise<Reservation>
  /**
   * Replaces the estimate by what was really spent, however much that is. What is absent stands at the estimate;
   * 0 tokens cost nothing.
   */
  settle(key: AttemptKey, actual: Partial<Spending>): Promise<Settlement>
  /** An account that nothing was charged to is empty. */
  spent(account: LedgerAccount): Promise<Spent>
  /** The reservations of a session that were not settled, in no order. */
  open(sessionId: string): Promise<readonly OpenReservation[]>
}
