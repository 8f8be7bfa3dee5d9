import { explained } from './explained.ts'
import type { SseFrame } from './frames.ts'
import type { ModelEvent } from './provider.ts'
import { ReportedFailure } from './reported-failure.ts'

/** The stream of one reply, from an API's events to ours. */
export interface Translator {
  /** Whether `done` was given: nothing after it counts. */
  readonly finished: boolean
  /** Adds what one frame says. Throws a `ReportedFailure`, or a `ProviderError` when the stream makes no sense. */
  push(frame: SseFrame, events: ModelEvent[]): void
  /** The body ended. Adds `done` where the reply is known to be whole although its last frame is missing. */
  end(events: ModelEvent[]): void
}

/** One array of events for each network read. What came before an error in the same read is given before it is thrown. */
export async function* translated(
  reads: AsyncIterable<readonly SseFrame[]>,
  translator: Translator,
): AsyncGenerator<readonly ModelEvent[]> {
  for await (const frames of reads) {
    const events: ModelEvent[] = []
    try {
      for (const frame of frames) {
        translator.push(frame, events)
        if (translator.finished) break
      }
    } catch (error) {
      if (events.length > 0) yield events
      throw error instanceof ReportedFailure ? await providerError(error) : error
    }
    yield events
    if (translator.finished) return
  }
  const last: ModelEvent[] = []
  translator.end(last)
  if (last.length > 0) yield last
}

function providerError(failure: ReportedFailure): Promise<Error> {
  const { reported, context } = failure
  return explained({ ...context, cause: failure }, async () =>
    (await import('./rare.ts')).streamError(reported, context),
  )
}
