import type { Clock } from '../protocol/clock.ts'

/** A time limit that can stand still, for instance while a person is asked. Pauses may overlap. */
export interface Deadline {
  pause(): void
  resume(): void
  cancel(): void
}

/** Calls `onExpire` once after `ms` that were not paused; never for `ms` 0. */
export function deadline(clock: Clock, ms: number, onExpire: () => void): Deadline {
  let left = ms
  let pauses = 0
  let since = 0
  let stop: (() => void) | undefined
  let over = ms === 0

  function run(): void {
    if (over) return
    since = clock.now()
    stop = clock.setTimer(() => {
      over = true
      onExpire()
    }, left)
  }

  run()
  return {
    pause() {
      if (pauses++ > 0 || over) return
      stop?.()
      left = Math.max(0, left - (clock.now() - since))
    },
    resume() {
      if (--pauses === 0) run()
    },
    cancel() {
      over = true
      stop?.()
    },
  }
}
