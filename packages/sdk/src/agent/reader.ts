import { mergeAdjoining } from '../protocol/deltas.ts'
import type { AgentEvent, EventBatch } from '../protocol/events.ts'
import type { EventReader } from '../protocol/session.ts'
import { READER_EVENTS, READER_PAGE } from './defaults.ts'
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
  /** Which events to give; `last` ends the reading after its event. */
  readonly pick?: (event: AgentEvent) => 'yes' | 'no' | 'last'
}

/**
 * Events as an async iterator. A reader may be arbitrarily slow: what waits for it is merged, and beyond that forgotten
 * and read again from the store, a page at a time.
 */
export function readEvents(options: ReaderOptions): EventReader {
  const { feed, signal, pick } = options
  let queue: EventBatch['events'][] = []
  let queued = 0
  let current: EventBatch['events'] = []
  let index = 0
  let ended = false
  let wake = (): void => {}
  /** How many events are asked for and have not come, one after the other. */
  let asked = 0
  let last: Promise<IteratorResult<AgentEvent>>
  /** Where the reader is; undefined until it is known. */
  let seq: number | undefined
  /** What is shown is not collected: it has to be read from the store. */
  let behind = true

  const onBatch = (_state: unknown, batch: EventBatch): void => {
    if (behind || batch.events.length === 0) return
    queue.push(batch.events)
    queued += batch.events.length
    if (queued > READER_EVENTS) {
      const merged = mergeAdjoining(queue.flat())
      if (merged.length > READER_EVENTS / 2) return fallBehind()
      queue = [merged]
      queued = merged.length
    }
    wake()
  }
  const end = (): void => {
    if (ended) return
    ended = true
    unsubscribe()
    signal?.removeEventListener('abort', end)
    options.onEnd?.()
    wake()
  }
  const unsubscribe = feed.subscribe(onBatch, end, true)
  if (signal?.aborted || feed.isClosed) end()
  else signal?.addEventListener('abort', end, { once: true })

  function fallBehind(): void {
    behind = true
    queue = []
    queued = 0
    wake()
  }

  async function catchUp(): Promise<void> {
    seq ??= options.after()
    behind = false
    const after = seq
    const upTo = feed.state.seq
    const unstored = feed.unstored()
    const stored: AgentEvent[] = []
    for await (const batch of feed.store.read(feed.state.id, { after, before: upTo + 1, limit: READER_PAGE })) {
      for (const event of batch) stored.push(event)
    }
    if (stored.length >= READER_PAGE) fallBehind()
    current = behind ? stored : [...stored, ...untold(unstored, stored, after)].sort((a, b) => a.seq - b.seq)
    index = 0
  }

  function wait(): Promise<void> {
    const woken = new Promise<void>((resolve) => {
      wake = resolve
    })
    return behind ? readOn(woken) : woken
  }

  async function readOn(woken: Promise<void>): Promise<void> {
    try {
      if (seq === undefined) await Promise.race([options.ready, woken])
      if (!ended) await catchUp()
    } catch (thrown) {
      end()
      throw thrown
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
      if (next === undefined) return ended ? { value: undefined, done: true } : undefined
      queued -= next.length
      current = next
      index = 0
    }
  }

  async function pull(): Promise<IteratorResult<AgentEvent>> {
    try {
      for (;;) {
        const result = step()
        if (result !== undefined) return result
        await wait()
      }
    } finally {
      asked--
    }
  }

  return {
    [Symbol.asyncIterator]() {
      return this
    },
    next() {
      const result = behind || asked > 0 ? undefined : step()
      if (result !== undefined) return Promise.resolve(result)
      last = asked++ > 0 ? last.then(pull, pull) : pull()
      return last
    },
    return() {
      end()
      queue = []
      current = []
      return Promise.resolve({ value: undefined, done: true })
    },
  }
}
