import { ProviderError } from '../protocol/errors.ts'
import type { SseFrame } from './frames.ts'
import type { ModelEvent, ModelProvider } from './provider.ts'
import { ReportedFailure } from './reported-failure.ts'

/** The stream of one reply, from an API's events to ours. */
export interface Translator<Frame = SseFrame> {
  /**
   * Adds what one frame says; nothing after `done` counts. Throws a `ReportedFailure`, or a `ProviderError` when the
   * stream makes no sense.
   */
  push(frame: Frame, events: ModelEvent[]): void
  /** The body ended or broke off. Adds `done` where the reply is known to be whole although its last frame is missing. */
  end(events: ModelEvent[]): void
}

type Target = Pick<ModelProvider, 'id' | 'capabilities'>

/** A request that can be sent. */
export interface Prepared<Frame = SseFrame> {
  readonly translator: Translator<Frame>
  /** Given with the first read: an event before it would say that something has arrived. */
  readonly warnings?: readonly ModelEvent[]
  /** The request's, of which none may come back in an error. */
  readonly headers?: Readonly<Record<string, string>>
  /** Sends it, says each frame as it is read, and yields after each read. `onFrame` never throws. */
  read(onFrame: (frame: Frame) => void): AsyncIterable<unknown>
}

/**
 * One array of events for each read. A frame is translated as it is read: thousands that wait for one another are a burden
 * on memory. What came before an error in the same read is given before it is thrown.
 */
export async function* translated<Frame>(
  target: Target,
  prepare: () => Promise<Prepared<Frame>>,
): AsyncGenerator<readonly ModelEvent[]> {
  const { translator, warnings = [], headers = {}, read } = await prepare()
  let events: ModelEvent[] = [...warnings]
  let failure: unknown
  const isDone = () => events.at(-1)?.type === 'done'
  const onFrame = (frame: Frame): void => {
    if (failure !== undefined || isDone()) return
    try {
      translator.push(frame, events)
    } catch (thrown) {
      failure = thrown
    }
  }
  try {
    for await (const _ of read(onFrame)) {
      if (failure !== undefined || isDone()) break
      yield events
      events = []
    }
  } catch (thrown) {
    failure = thrown
  }
  try {
    if (!isDone() && (failure === undefined || isCut(failure))) translator.end(events)
    if (isDone()) {
      failure = undefined
      refuseOverflow(events, target)
    }
  } catch (thrown) {
    failure = thrown
  }
  if (events.length > 0) yield events
  if (failure instanceof ReportedFailure) {
    const reported = failure
    failure = await import('./rare.ts')
      .then(({ reportedError }) => reportedError(reported, headers))
      .catch(() => reported)
  }
  if (failure !== undefined) throw failure
}

function isCut(failure: unknown): boolean {
  return failure instanceof ProviderError && failure.code === 'provider.stream-truncated'
}

/** The stop reason for a reply that was cut because prompt and reply together fill the window. */
export const WINDOW_EXCEEDED = 'model_context_window_exceeded'

/**
 * The context overflows in other ways than by a refused request: a reply that found no room, and endpoints that drop the
 * beginning of a prompt and answer the rest, which only the usage tells. Both are thrown, the usage is kept.
 */
function refuseOverflow(events: ModelEvent[], { id, capabilities }: Target): void {
  const done = events.at(-1)
  if (done?.type !== 'done') return
  const { usage = {}, rawStop } = done
  const { inputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage
  const prompt = inputTokens + cacheReadTokens + cacheWriteTokens
  const { contextWindow: window = Infinity } = capabilities
  if (rawStop !== WINDOW_EXCEEDED && prompt <= window) return
  const message =
    prompt > window
      ? `The prompt has ${prompt} tokens, more than the context window of ${window}`
      : `${id} cut its reply: the context window is full`
  events.splice(-1, 1, { type: 'usage', usage })
  throw new ReportedFailure(id, { code: WINDOW_EXCEEDED, message }, true)
}
