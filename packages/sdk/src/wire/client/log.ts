import { StepwellError, WireError } from '../../protocol/errors.ts'
import type { EventBatch } from '../../protocol/events.ts'
import { backoffMs, type Environment, pause, watchdog } from './environment.ts'
import { typedError } from './errors.ts'
import { streamFrames } from './frames.ts'
import type { Http } from './http.ts'

export interface LogSource {
  readonly http: Http
  readonly environment: Environment
  /** A stream that says nothing for so long is dead. */
  readonly silenceMs: number
}

/**
 * A session's log above `after`, and what comes then: a connection of its own, for a reader that the shared one cannot
 * serve. It is made again where it breaks, and read no faster than it is asked for. Rejects with what trying again
 * cannot help, and with the signal's reason.
 */
export async function* readLog(
  { http, environment, silenceMs }: LogSource,
  id: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<EventBatch> {
  let cursor = after
  let failures = 0
  for (;;) {
    const connection = new AbortController()
    const cut = (): void => connection.abort()
    signal.addEventListener('abort', cut)
    const silence = watchdog(environment.clock, silenceMs, cut)
    try {
      signal.throwIfAborted()
      const path = `/sessions/${encodeURIComponent(id)}/events?after=${cursor}`
      for await (const frames of streamFrames(http, { path, signal: connection.signal, onBytes: silence.seen })) {
        for (const frame of frames) {
          if ('gone' in frame) throw typedError({ ...frame.gone, retryable: false })
          // Nobody knows the seq it was to begin above: there is nothing between.
          if ('resync' in frame) cursor = frame.head
          if (!('events' in frame)) continue
          if (frame.prev > cursor) throw new WireError('wire.protocol', 'Events were left out.', { retryable: true })
          failures = 0
          cursor = Math.max(cursor, frame.head)
          // How long the reader takes is no silence of the server's.
          silence.stop()
          yield frame
        }
        silence.seen()
      }
    } catch (thrown) {
      signal.throwIfAborted()
      if (thrown instanceof StepwellError && !thrown.retryable) throw thrown
    } finally {
      silence.stop()
      cut()
      signal.removeEventListener('abort', cut)
    }
    await pause(environment, backoffMs(++failures, environment.random), signal)
  }
}
