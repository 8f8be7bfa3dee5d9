import type { Clock, Ids } from '../../protocol/clock.ts'

/** What a client needs of the device. Injected, so that a test can be the network. */
export interface Network {
  /** Whether the device says that it has a network. */
  isOnline(): boolean
  /** Called when trying again is worth it: the network is back, or somebody looks at the page again. Returns the removal. */
  onWake(callback: () => void): () => void
}

export interface Environment {
  readonly clock: Clock
  readonly ids: Ids
  /** From 0 to 1. */
  readonly random: () => number
  readonly network: Network
}

/** A browser's; elsewhere always online and never woken. */
export const deviceNetwork: Network = {
  isOnline: () => globalThis.navigator?.onLine !== false,
  onWake(callback) {
    const page = globalThis as Partial<Pick<Window, 'addEventListener' | 'removeEventListener' | 'document'>>
    const { document } = page
    const onVisible = (): void => {
      if (document?.visibilityState === 'visible') callback()
    }
    // By name: a page that is simulated refuses a signal that it did not make.
    const toggle = (method: 'addEventListener' | 'removeEventListener'): void => {
      page[method]?.('online', callback)
      document?.[method]('visibilitychange', onVisible)
    }
    toggle('addEventListener')
    return () => toggle('removeEventListener')
  },
}

const BASE_MS = 500
const MAX_MS = 30_000

/** The wait after the `failures`th failure in a row, from 1: doubled each time, half of it left to chance. */
export function backoffMs(failures: number, random: () => number): number {
  const full = Math.min(BASE_MS * 2 ** (failures - 1), MAX_MS)
  return Math.round((full / 2) * (1 + random()))
}

/** Waits `ms`, or for ever, but no longer than until the device wakes or the signal is aborted. Never rejects. */
export function pause({ clock, network }: Environment, ms: number | undefined, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      cancel?.()
      offWake()
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const cancel = ms === undefined ? undefined : clock.setTimer(done, ms)
    const offWake = network.onWake(done)
    signal?.addEventListener('abort', done)
    if (ms === 0 || signal?.aborted) done()
  })
}
