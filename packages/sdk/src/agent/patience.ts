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
  return {
    /** Aborted, with the error to give, when what waits now is given up. */
    get signal(): AbortSignal {
      return waiting.signal
    },
    /** An abort has come, and stands behind what waits: that has one more second. Returns what is to be called in its turn. */
    press(): () => void {
      let cancel = (): void => {}
      const later = (): void => {
        cancel = clock.setTimer(() => {
          waiting.abort(new SessionError('session.aborted', 'It was stopped before it could be taken.'))
          if (!isOver) waiting = new AbortController()
          later()
        }, ABORT_PULL_MS)
      }
      later()
      return () => cancel()
    },
    /** The session is closed here: nothing waits any more. */
    end(closed: SessionError): void {
      isOver = true
      waiting.abort(closed)
    },
  }
}
