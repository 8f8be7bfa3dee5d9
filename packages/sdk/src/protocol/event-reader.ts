import { mergeAdjoining } from './deltas.ts'
import type { AgentEvent } from './events.ts'
import type { EventReader } from './session.ts'

/** Events a slow reader may have waiting before they are merged, and then read again from the log. */
const WAITING_EVENTS = 8_192

/** Which events to give; `last` ends the reading after its event. */
export type PickEvent = (event: AgentEvent) => 'yes' | 'no' | 'last'

interface Source {
  readonly pick?: PickEvent | undefined
  /** Resolves when there may be more to take, or nothing more will come. Rejects with why nothing more will come. */
  more(): Promise<void>
  /** Nothing more will come. Throws why, where that is no ordinary end. */
  isOver(): boolean
  /** The reader leaves, or has its last event. */
  end(): void
}

/** What waits for one reader, and the iterator it is taken with. */
export interface EventQueue {
  readonly reader: EventReader
  /** What is at or below it has been taken. Undefined until it is known. */
  seq: number | undefined
  /** Adds what was shown. False when too much waits: then all after the first delta is forgotten. */
  push(events: readonly AgentEvent[]): boolean
  /** What was read of the log is to be taken now, before anything that was shown. */
  put(events: readonly AgentEvent[]): void
  clear(): void
}

/** Several `next()` that wait at the same time get one event each, in order. */
export function eventQueue({ pick, more, isOver, end }: Source): EventQueue {
  let batches: (readonly AgentEvent[])[] = []
  let waiting = 0
  let current: readonly AgentEvent[] = []
  let index = 0
  /** How many events are asked for and have not come, one after the other. */
  let asked = 0
  let last: Promise<IteratorResult<AgentEvent>>
  /** It was told to return: whatever is still read is not for it. */
  let isLeft = false

  function take(): IteratorResult<AgentEvent> | undefined {
    while (!isLeft) {
      while (index < current.length) {
        const event = current[index++] as AgentEvent
        if (queue.seq !== undefined && event.seq <= queue.seq) continue
        queue.seq = event.seq
        const picked = pick?.(event) ?? 'yes'
        if (picked === 'last') end()
        if (picked !== 'no') return { value: event, done: false }
      }
      const next = batches.shift()
      if (next === undefined) return undefined
      waiting -= next.length
      queue.put(next)
    }
    return undefined
  }

  async function pull(): Promise<IteratorResult<AgentEvent>> {
    try {
      for (;;) {
        const result = take()
        if (result !== undefined) return result
        if (isOver()) return { value: undefined, done: true }
        await more()
      }
    } finally {
      asked--
    }
  }

  const reader: EventReader = {
    [Symbol.asyncIterator]() {
      return this
    },
    next() {
      const result = asked > 0 ? undefined : take()
      if (result !== undefined) return Promise.resolve(result)
      last = asked++ > 0 ? last.then(pull, pull) : pull()
      return last
    },
    return() {
      isLeft = true
      end()
      return Promise.resolve({ value: undefined, done: true })
    },
  }

  const queue: EventQueue = {
    reader,
    seq: undefined,
    push(events) {
      batches.push(events)
      waiting += events.length
      if (waiting <= WAITING_EVENTS) return true
      const merged = mergeAdjoining(batches.flat())
      const fits = merged.length <= WAITING_EVENTS / 2
      // The log may have the first delta together with what was taken before: it is not read again.
      const kept = fits ? merged : merged.slice(0, 1 + merged.findIndex((event) => 'from' in event))
      batches = [kept]
      waiting = kept.length
      return fits
    },
    put(events) {
      current = events
      index = 0
    },
    clear() {
      batches = []
      waiting = 0
    },
  }
  return queue
}
