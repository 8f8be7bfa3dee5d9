/** Time, injected: everything that waits or stamps takes it from here, so that a test can be the clock. */
export interface Clock {
  /** Epoch ms. */
  now(): number
  /**
   * Calls back once after `ms`. Returns its cancellation, which may be called at any time, also after the fact.
   * A `background` timer does not keep the process alive.
   */
  setTimer(callback: () => void, ms: number, options?: { readonly background?: boolean }): () => void
}

/** Mints an id that was never minted before, `prefix_` first. */
export type Ids = (prefix: string) => string

/** ISO 8601, in UTC, of epoch ms. */
export function isoTime(at: number): string {
  return new Date(at).toISOString()
}
