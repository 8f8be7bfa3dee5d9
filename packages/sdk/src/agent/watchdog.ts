import type { Clock } from '../protocol/clock.ts'
import { ProviderError } from '../protocol/errors.ts'
import type { Timeouts } from './runtime.ts'

export interface Watchdog {
  /** Something arrived. */
  touch(): void
  stop(): void
}

/**
 * Keeps the deadlines of one attempt: for the first sign of life, between two reads, and for the whole. One timer that
 * looks at the time of the last read, so a read costs nothing.
 */
export function watch(clock: Clock, timeouts: Required<Timeouts>, expire: (error: ProviderError) => void): Watchdog {
  const { connectMs, idleMs, attemptMs } = timeouts
  const startedAt = clock.now()
  let lastAt: number | undefined
  let cancel = (): void => {}

  const dueAt = (): { at: number; error: () => ProviderError } => {
    const whole = {
      at: deadline(startedAt, attemptMs),
      error: () => timedOut('deadline', 'took longer than', attemptMs),
    }
    const next =
      lastAt === undefined
        ? {
            at: deadline(startedAt, connectMs),
            error: () => timedOut('connect-timeout', 'did not answer for', connectMs),
          }
        : { at: deadline(lastAt, idleMs), error: () => timedOut('idle', 'sent nothing for', idleMs) }
    return next.at <= whole.at ? next : whole
  }
  const arm = (): void => {
    const { at } = dueAt()
    if (at === Number.POSITIVE_INFINITY) return
    const look = (): void => {
      const due = dueAt()
      if (clock.now() >= due.at) expire(due.error())
      else arm()
    }
    cancel = clock.setTimer(look, Math.max(0, at - clock.now()))
  }
  arm()
  return {
    touch() {
      const first = lastAt === undefined
      lastAt = clock.now()
      if (first) {
        cancel()
        arm()
      }
    },
    stop: () => cancel(),
  }
}

function deadline(from: number, ms: number): number {
  return ms === 0 ? Number.POSITIVE_INFINITY : from + ms
}

function timedOut(cause: 'connect-timeout' | 'idle' | 'deadline', what: string, ms: number): ProviderError {
  return new ProviderError(`provider.${cause}`, `The model ${what} ${ms} ms.`, { retryable: cause !== 'deadline' })
}
