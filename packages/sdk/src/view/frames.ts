/** Calls `publish` once, soon or at once. Returns its cancellation, which may be called at any time. */
export type Schedule = (publish: () => void) => () => void

/** At once, inside the call that brought the news: on a server, in a terminal, in tests. */
export const syncSchedule: Schedule = (publish) => {
  publish()
  return () => {}
}

/** What of a page gives frames and timers. */
export interface Page<Timer> {
  requestAnimationFrame(callback: () => void): number
  cancelAnimationFrame(frame: number): void
  setTimeout(callback: () => void, ms: number): Timer
  clearTimeout(timer: Timer): void
}

/** A hidden tab gets no frames: how long one is waited for. */
const FRAME_WAIT_MS = 100

/** With the next frame, or by a timer where none comes. */
export function frameSchedule<Timer>(page: Page<Timer>): Schedule {
  return (publish) => {
    const cancel = (): void => {
      page.cancelAnimationFrame(frame)
      page.clearTimeout(timer)
    }
    const first = (): void => {
      cancel()
      publish()
    }
    const frame = page.requestAnimationFrame(first)
    const timer = page.setTimeout(first, FRAME_WAIT_MS)
    return cancel
  }
}
