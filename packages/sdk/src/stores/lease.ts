import type { Lease } from './store.ts'

interface LeaseCalls {
  /** Gives the new `expiresAt`; fails with `session.lease-lost`. */
  renew(): Promise<number>
  release(): Promise<void>
}

/** The part of a lease that is the same whatever the storage. */
export function makeLease(generation: number, expiresAt: number, calls: LeaseCalls): Lease {
  const lost = new AbortController()
  let expires = expiresAt
  return {
    generation,
    lost: lost.signal,
    get expiresAt() {
      return expires
    },
    async renew() {
      try {
        expires = await calls.renew()
      } catch (error) {
        if (isLeaseLost(error)) lost.abort(error)
        throw error
      }
    },
    release: () => calls.release(),
  }
}

export function isLeaseLost(error: unknown): boolean {
  return (error as { readonly code?: unknown } | undefined)?.code === 'session.lease-lost'
}
