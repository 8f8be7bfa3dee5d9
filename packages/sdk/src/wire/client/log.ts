import { errorOf, StepwellError } from '../../protocol/errors.ts'
import type { EventBatch } from '../../protocol/events.ts'
import type { Http } from './http.ts'

/**
 * A session's log above `after`, and what comes then: a connection of its own, for a reader that the shared one cannot
 * serve. It is made again where it breaks, and read no faster than it is asked for. Rejects with what trying again
 * cannot help, and with the signal's reason.
 */
export async function* readLog(
  http: Http,
  path: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<EventBatch> {
  let cursor = after
  for (let failures = 1; ; failures++) {
    try {
      for await (const frames of http.frames(`${path}/events?after=${cursor}`, signal)) {
        for (const frame of frames) {
          if ('gone' in frame) throw frame.gone
          // Nobody knows the seq it was to begin above: there is nothing between.
          if ('resync' in frame) cursor = frame.head
          if (!('events' in frame)) continue
          if (frame.prev > cursor) throw errorOf('wire.protocol', 'Events were left out.', { retryable: true })
          failures = 1
          cursor = Math.max(cursor, frame.head)
          yield frame
        }
      }
    } catch (thrown) {
      signal.throwIfAborted()
      if (thrown instanceof StepwellError && !thrown.retryable) throw thrown
    }
    await http.backOff(failures, signal)
  }
}
