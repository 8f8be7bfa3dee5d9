import { READER_EVENTS } from '../../agent/defaults.ts'
import { mergeAdjoining } from '../../protocol/deltas.ts'
import { errorOf } from '../../protocol/errors.ts'
import type { AgentEvent, EventBatch } from '../../protocol/events.ts'
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
  /** Which events to give; `last` ends the reading after its event. */
  readonly pick?: (event: AgentEvent) => 'yes' | 'no' | 'last'
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
  let queue: EventBatch['events'][] = []
  let queued = 0
  let current: EventBatch['events'] = []
  let index = 0
  let wake = (): void => {}
  let last: Promise<unknown> = Promise.resolve()
  /** Where the reader is; undefined until it is known. */
  let seq: number | undefined
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

  const { sent } = feed
  const onBatch = (_state: unknown, { prev, head, events }: EventBatch): void => {
    if (feed.sent !== sent) return end(errorOf('session.not-found', REPLACED))
    if (behind) return
    // The session was read anew: what lies between was not shown.
    if (prev > collected) return fallBehind()
    collected = head
    if (events.length === 0) return
    queue.push(events)
    queued += events.length
    if (queued > READER_EVENTS) {
      const merged = mergeAdjoining(queue.flat())
      if (merged.length > READER_EVENTS / 2) return fallBehind()
      queue = [merged]
      queued = merged.length
    }
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
    seq = options.after()
    follow()
    wake()
  }

  /** Whether the shared stream goes on where the reader is. */
  function follow(): boolean {
    if (seq === undefined || seq < feed.cursor) return false
    behind = false
    collected = feed.cursor
    if (isCaughtUp) return true
    isCaughtUp = true
    options.onCaughtUp?.()
    return true
  }

  function fallBehind(): void {
    behind = true
    queue = []
    queued = 0
    wake()
  }

  /** Reads the log on, or leaves it where the shared stream takes over. */
  async function readOn(from: number): Promise<void> {
    seq = Math.max(from, logHead)
    if (follow()) {
      await log?.return(undefined)
      log = undefined
      return
    }
    log ??= readLog(http, feed.path, seq, done.signal)
    try {
      const { value } = await log.next()
      if (value === undefined || over !== undefined) return
      current = value.events
      index = 0
      logHead = value.head
    } catch (thrown) {
      end(thrown)
    }
  }

  function step(): IteratorResult<AgentEvent> | undefined {
    for (;;) {
      while (index < current.length) {
        const event = current[index++] as AgentEvent
        if (seq !== undefined && event.seq <= seq) continue
        seq = event.seq
        const picked = pick?.(event) ?? 'yes'
        if (picked === 'last') end()
        if (picked !== 'no') return { value: event, done: false }
      }
      const next = queue.shift()
      if (next === undefined) return undefined
      queued -= next.length
      current = next
      index = 0
    }
  }

  async function pull(): Promise<IteratorResult<AgentEvent>> {
    for (;;) {
      const result = step()
      if (result !== undefined) return result
      if (over !== undefined) {
        if ('why' in over) throw over.why
        return { value: undefined, done: true }
      }
      if (behind && seq !== undefined) await readOn(seq)
      else {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    }
  }

  return {
    [Symbol.asyncIterator]() {
      return this
    },
    next() {
      const next = last.then(pull, pull)
      last = next
      return next
    },
    return() {
      end()
      queue = []
      current = []
      return Promise.resolve({ value: undefined, done: true })
    },
  }
}

/** A seq above which everything of this run is, where that is known. */
export function startOf({ state, sent }: Feed, runId: string): number | undefined {
  const { run } = state
  // Before its `run-start` is the input that asked for it.
  return run?.id === runId ? run.seq - 2 : sent.get(runId)
}
