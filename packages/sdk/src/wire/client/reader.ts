import { errorOf } from '../../protocol/errors.ts'
import { type EventQueue, eventQueue, type PickEvent } from '../../protocol/event-reader.ts'
import type { EventBatch } from '../../protocol/events.ts'
import type { EventReader } from '../../protocol/session.ts'
import type { Feed } from './feed.ts'
import type { Http } from './http.ts'
import { readLog } from './log.ts'

const REPLACED = 'The server has another log under this id: what was read before is not part of it.'

export interface ReaderOptions {
  readonly feed: Feed
  readonly http: Http
  /** Everything above this seq; asked once the session is loaded, and this is settled. */
  after(): number
  readonly ready?: Promise<unknown> | undefined
  readonly signal?: AbortSignal | undefined
  readonly pick?: PickEvent
  /** The reader has what the session had when it began. */
  onCaughtUp?(): void
  onEnd?(): void
}

/**
 * Events as an async iterator, from the shared stream as long as it can follow. What is behind that is read from the
 * log over a connection of its own. A reader may be arbitrarily slow: what waits for it is merged, and beyond that
 * forgotten and read again. Rejects with why nothing more will come.
 */
export function readEvents(options: ReaderOptions): EventReader {
  const { feed, http, signal, pick } = options
  let wake = (): void => {}
  /** Up to where the shared stream was collected. */
  let collected = 0
  /** What the shared stream shows is not collected. */
  let behind = true
  let isCaughtUp = false
  let over: { readonly why?: unknown } | undefined
  /** The log that is being read, while behind. */
  let log: AsyncGenerator<EventBatch> | undefined
  let logHead = 0
  const done = new AbortController()
  const queue: EventQueue = eventQueue({ pick, more, isOver, end: () => end() })

  const { sent } = feed
  const onBatch = (_state: unknown, { prev, head, events }: EventBatch): void => {
    if (feed.sent !== sent) return end(errorOf('session.not-found', REPLACED))
    if (behind) return
    // The session was read anew: what lies between was not shown.
    if (prev > collected) return fallBehind()
    collected = head
    if (events.length === 0) return
    behind = !queue.push(events)
    wake()
  }

  function end(why?: unknown): void {
    if (over !== undefined) return
    over = why === undefined ? {} : { why }
    unsubscribe()
    disconnect()
    signal?.removeEventListener('abort', onAbort)
    done.abort()
    options.onEnd?.()
    wake()
  }
  const onAbort = (): void => end()
  const onConnection = (): void => {
    if (feed.failure !== undefined) end(feed.failure)
  }
  const unsubscribe = feed.subscribe(onBatch)
  const disconnect = feed.subscribeConnection(onConnection)
  if (signal?.aborted) end()
  else if (feed.isOver) onConnection()
  else {
    signal?.addEventListener('abort', onAbort, { once: true })
    Promise.all([feed.load(), options.ready]).then(begin, end)
  }

  function begin(): void {
    if (over !== undefined) return
    queue.seq = options.after()
    follow()
    wake()
  }

  /** Whether the shared stream goes on where the reader is. */
  function follow(): boolean {
    if (queue.seq === undefined || queue.seq < feed.cursor) return false
    behind = false
    collected = feed.cursor
    if (isCaughtUp) return true
    isCaughtUp = true
    options.onCaughtUp?.()
    return true
  }

  function fallBehind(): void {
    behind = true
    queue.clear()
    wake()
  }

  /** Reads the log on, or leaves it where the shared stream takes over. */
  async function readOn(from: number): Promise<void> {
    const seq = Math.max(from, logHead)
    queue.seq = seq
    if (follow()) {
      await log?.return(undefined)
      log = undefined
      return
    }
    log ??= readLog(http, feed.path, seq, done.signal)
    try {
      const { value } = await log.next()
      if (value === undefined || over !== undefined) return
      queue.put(value.events)
      logHead = value.head
    } catch (thrown) {
      end(thrown)
    }
  }

  function isOver(): boolean {
    if (over !== undefined && 'why' in over) throw over.why
    return over !== undefined
  }

  function more(): Promise<void> {
    if (behind && queue.seq !== undefined) return readOn(queue.seq)
    return new Promise((resolve) => {
      wake = resolve
    })
  }

  return queue.reader
}

/** A seq above which everything of this run is, where that is known. */
export function startOf({ state, sent }: Feed, runId: string): number | undefined {
  const { run } = state
  // Before its `run-start` is the input that asked for it.
  return run?.id === runId ? run.seq - 2 : sent.get(runId)
}
