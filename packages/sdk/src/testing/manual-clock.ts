import type { Clock } from '../protocol/clock.ts'

export interface ManualClock extends Clock {
  /** Moves time on by `ms` and runs what falls due on the way, in order, each at its own time. */
  advance(ms: number): void
  /** How many timers are waiting. */
  readonly pending: number
}

interface Timer {
  readonly due: number
  readonly callback: () => void
}

/** A clock that stands still until it is told to move. `start` is epoch ms. */
export function manualClock(start = 0): ManualClock {
  let now = start
  const timers = new Set<Timer>()

  /** The first of those that are due at the same time is the one that was set first. */
  function nextDue(until: number): Timer | undefined {
    let next: Timer | undefined
    for (const timer of timers) {
      if (timer.due <= until && (next === undefined || timer.due < next.due)) next = timer
    }
    return next
  }

  return {
    now: () => now,
    setTimer(callback, ms) {
      const timer = { due: now + Math.max(0, ms), callback }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    advance(ms) {
      const until = now + ms
      for (let timer = nextDue(until); timer !== undefined; timer = nextDue(until)) {
        timers.delete(timer)
        now = timer.due
        timer.callback()
      }
      now = until
    },
    get pending() {
      return timers.size
    },
  }
}
