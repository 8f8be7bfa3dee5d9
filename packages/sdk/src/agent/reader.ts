import { type EventQueue, eventQueue, type PickEvent } from '../protocol/event-reader.ts'
import type { AgentEvent, EventBatch } from '../protocol/events.ts'
import type { EventReader } from '../protocol/session.ts'
import { READER_PAGE } from './defaults.ts'
import type { Feed } from './feed.ts'
import { untold } from './untold.ts'

export interface ReaderOptions {
  readonly feed: Feed
  /** Settles when the feed may be read and `after` is known. */
  readonly ready: Promise<unknown>
  /** Everything above this seq. */
  after(): number
  readonly signal?: AbortSignal | undefined
  onEnd?(): void
  readonly pick?: PickEvent
}

/**
 * Events as an async iterator. A reader may be arbitrarily slow: what waits for it is merged, and beyond that forgotten
 * and read again from the store, a page at a time.
 */
export function readEvents({ feed, ready, after, signal, onEnd, pick }: ReaderOptions): EventReader {
  let ended = false
  let wake = (): void => {}
  /** What is shown is not collected: it has to be read from the store. */
  let behind = true
  const queue: EventQueue = eventQueue({ pick, more, end, isOver: () => ended })

  const onBatch = (_state: unknown, { events }: EventBatch): void => {
    if (behind || events.length === 0) return
    behind = !queue.push(events)
    wake()
  }
  function end(): void {
    if (ended) return
    ended = true
    unsubscribe()
    signal?.removeEventListener('abort', end)
    onEnd?.()
    wake()
  }
  const unsubscribe = feed.subscribe(onBatch, end, true)
  if (signal?.aborted || feed.isClosed) end()
  else signal?.addEventListener('abort', end, { once: true })

  async function catchUp(): Promise<void> {
    queue.seq ??= after()
    behind = false
    const from = queue.seq
    const upTo = feed.state.seq
    const unstored = feed.unstored()
    const stored: AgentEvent[] = []
    for await (const batch of feed.store.read(feed.state.id, { after: from, before: upTo + 1, limit: READER_PAGE })) {
      for (const event of batch) stored.push(event)
    }
    behind ||= stored.length >= READER_PAGE
    if (behind) queue.clear()
    queue.put(behind ? stored : [...stored, ...untold(unstored, stored, from)].sort((a, b) => a.seq - b.seq))
  }

  function more(): Promise<void> {
    const woken = new Promise<void>((resolve) => {
      wake = resolve
    })
    return behind ? readOn(woken) : woken
  }

  async function readOn(woken: Promise<void>): Promise<void> {
    try {
      if (queue.seq === undefined) await Promise.race([ready, woken])
      if (!ended) await catchUp()
    } catch (thrown) {
      end()
      throw thrown
    }
  }

  return queue.reader
}
