import { frameSchedule, type Schedule, syncSchedule } from './frames.ts'

/** The one place where a view meets the machine's time, frames and chance. */
export const systemNow = (): number => Date.now()

/** By frames where there are frames. */
export function systemSchedule(): Schedule {
  return typeof requestAnimationFrame === 'function' ? frameSchedule(globalThis) : syncSchedule
}

/** As an `EventTarget` does it: the error reaches the page's or the process's handler, and nobody in between. */
export function reportThrown(thrown: unknown): void {
  if (typeof reportError === 'function') return reportError(thrown)
  queueMicrotask(() => {
    throw thrown
  })
}
