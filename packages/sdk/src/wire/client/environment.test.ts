import { afterEach, expect, test, vi } from 'vitest'
import { deviceNetwork } from './environment.ts'

afterEach(() => vi.unstubAllGlobals())

test('a page wakes the client until it is told not to, also one that is simulated', () => {
  const page = simulated()
  const document = Object.assign(simulated(), { visibilityState: 'hidden' })
  vi.stubGlobal('addEventListener', page.addEventListener)
  vi.stubGlobal('removeEventListener', page.removeEventListener)
  vi.stubGlobal('document', document)
  const woken = vi.fn()
  const off = deviceNetwork.onWake(woken)

  page.tell('online')
  expect(woken).toHaveBeenCalledTimes(1)
  document.tell('visibilitychange')
  expect(woken).toHaveBeenCalledTimes(1)
  document.visibilityState = 'visible'
  document.tell('visibilitychange')
  expect(woken).toHaveBeenCalledTimes(2)

  off()
  page.tell('online')
  document.tell('visibilitychange')
  expect(woken).toHaveBeenCalledTimes(2)
})

/** As jsdom does it, which refuses a signal that it did not make. */
function simulated() {
  const listeners = new Map<string, Set<() => void>>()
  return {
    addEventListener(type: string, listener: () => void, options?: { readonly signal?: unknown }) {
      if (options?.signal !== undefined) throw new TypeError('The signal is not of type AbortSignal')
      listeners.set(type, (listeners.get(type) ?? new Set()).add(listener))
    },
    removeEventListener: (type: string, listener: () => void) => void listeners.get(type)?.delete(listener),
    tell: (type: string) => listeners.get(type)?.forEach((listener) => void listener()),
  }
}
