import type { Clock } from '../protocol/clock.ts'
import { SessionError } from '../protocol/errors.ts'
import { ABORT_PULL_MS } from './defaults.ts'

/**
 * How long a command waits for what is not ours: its bytes, the app's values, a policy. For ever, unless somebody wants
 * to stop or to close the session: commands are judged one at a time, and theirs may not stay behind one that waits.
 */
export function createPatience(clock: Clock) {
  let waiting = new AbortController()
  let isOver = false

  function giveUp(one: AbortController): void {
    one.abort(new SessionError('session.aborted', 'It was stopped before it could be taken.'))
  }

  return {
    /** For what begins to wait now, one at a time: aborted, with the error to give, when it is given up. */
    begin(): AbortSignal {
      if (!isOver) waiting = new AbortController()
      return waiting.signal
    },
    /** An abort has come, and stands behind what waits: that has one more second. Returns what is to be called in its turn. */
    press(): () => void {
      let cancel = (): void => {}
      const later = (): void => {
        cancel = clock.setTimer(() => {
          giveUp(waiting)
          later()
        }, ABORT_PULL_MS)
      }
      later()
      return () => cancel()
    },
    /** What waits now: it alone has one more second from its `hurry()`, for an abort that stands behind it elsewhere. */
    current(): { hurry(): void } {
      const one = waiting
      return { hurry: () => void clock.setTimer(() => giveUp(one), ABORT_PULL_MS, { background: true }) }
    },
    /** The session is closed here: nothing waits any more. */
    end(closed: SessionError): void {
      isOver = true
      waiting.abort(closed)
    },
  }
}
