import type { Clock } from '../protocol/clock.ts'
import { ProviderError } from '../protocol/errors.ts'
import type { Timeouts } from './runtime.ts'

export interface Watchdog {
  /** Something arrived. */
  touch(): void
  stop(): void
}

type Deadline = readonly [at: number, cause: 'connect-timeout' | 'idle' | 'deadline', what: string, ms: number]

/**
 * Keeps the deadlines of one attempt: for the first sign of life, between two reads, and for the whole. One timer that
 * looks at the time of the last read, so a read costs nothing.
 */
export function watch(
  clock: Clock,
  { connectMs, idleMs, attemptMs }: Required<Timeouts>,
  expire: (error: ProviderError) => void,
): Watchdog {
  const startedAt = clock.now()
  let lastAt: number | undefined
  let cancel = (): void => {}

  function look(): void {
    const next: Deadline =
      lastAt === undefined
        ? [later(startedAt, connectMs), 'connect-timeout', 'did not answer for', connectMs]
        : [later(lastAt, idleMs), 'idle', 'sent nothing for', idleMs]
    const whole: Deadline = [later(startedAt, attemptMs), 'deadline', 'took longer than', attemptMs]
    const [at, cause, what, ms] = next[0] <= whole[0] ? next : whole
    const now = clock.now()
    if (now >= at) {
      const retryable = cause !== 'deadline'
      return expire(new ProviderError(`provider.${cause}`, `The model ${what} ${ms} ms.`, { retryable }))
    }
    // The first read may bring the deadline nearer, though never nearer than that.
    const wait = Math.min(at, later(now, idleMs)) - now
    if (wait < Infinity) cancel = clock.setTimer(look, wait)
  }

  look()
  return {
    touch() {
      lastAt = clock.now()
    },
    stop: () => cancel(),
  }
}

/** 0 ms: never. */
function later(from: number, ms: number): number {
  return ms === 0 ? Infinity : from + ms
}
