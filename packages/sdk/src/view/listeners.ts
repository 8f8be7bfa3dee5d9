import { reportThrown } from './system.ts'

/** Who is told, and whom to tell that nothing more will come. */
export type Listeners = Map<() => void, (() => void) | undefined>

/**
 * Adds a listener. One that throws harms no other, and one that is removed while the others are told is not called any
 * more. The same function may be added more than once. Returns the removal.
 */
export function addListener(listeners: Listeners, listener: () => void, onEnd?: () => void): () => void {
  const own = (): void => {
    if (!listeners.has(own)) return
    try {
      listener()
    } catch (thrown) {
      reportThrown(thrown)
    }
  }
  listeners.set(own, onEnd)
  return () => void listeners.delete(own)
}

/** Calls those who listen now. */
export function tell(listeners: Listeners): void {
  for (const listener of [...listeners.keys()]) listener()
}

/** Removes all. */
export function endAll(listeners: Listeners): void {
  const ends = [...listeners.values()]
  listeners.clear()
  for (const onEnd of ends) onEnd?.()
}
