import type { EventBatch } from '../protocol/events.ts'
import { generationOf } from '../protocol/seq.ts'
import type { SessionBus } from './bus.ts'
import { OpenTurn } from './open-turn.ts'

/** How many sessions nobody follows are remembered, for dropping what an old owner still publishes. */
const MAX_QUIET_CHANNELS = 10_000

/** The seq of `session-created`: what is published right after it belongs to a new log, also where an old one was deleted. */
const FIRST_SEQ = 1

interface Subscriber {
  readonly onBatch: (batch: EventBatch) => void
  active: boolean
}

interface Channel {
  readonly turn: OpenTurn
  generation: number
  /** Replaced, never changed: a publication goes to those who were there when it began. */
  subscribers: readonly Subscriber[]
  delivering: boolean
  /** Batches published from inside a subscriber: they come after the one being delivered. */
  readonly waiting: EventBatch[]
}

/** A bus inside one process: synchronous, and holding each session's open turn. */
export function memoryBus(): SessionBus {
  const channels = new Map<string, Channel>()
  let listeners: readonly ((sessionId: string) => void)[] = []
  let closed = false

  function channelOf(sessionId: string): Channel {
    const known = channels.get(sessionId)
    if (known) return known
    if (channels.size >= MAX_QUIET_CHANNELS) forgetQuiet(channels)
    const channel: Channel = { turn: new OpenTurn(), generation: 0, subscribers: [], delivering: false, waiting: [] }
    channels.set(sessionId, channel)
    return channel
  }

  return {
    publish(sessionId, batch) {
      if (closed) return
      const channel = channelOf(sessionId)
      if (channel.delivering) {
        channel.waiting.push(batch)
        return
      }
      channel.delivering = true
      for (let next: EventBatch | undefined = batch; next; next = channel.waiting.shift()) deliver(channel, next)
      channel.delivering = false
    },

    subscribe(sessionId, after, onBatch) {
      if (closed) return () => {}
      const channel = channelOf(sessionId)
      const subscriber: Subscriber = { onBatch, active: true }
      channel.subscribers = [...channel.subscribers, subscriber]
      const held = channel.turn.above(after)
      if (held) hand(subscriber, held)
      return () => {
        subscriber.active = false
        channel.subscribers = channel.subscribers.filter((other) => other !== subscriber)
      }
    },

    signal(sessionId) {
      for (const listener of listeners) {
        try {
          listener(sessionId)
        } catch {
          // A signal is a hint: its listener's failure is no one else's.
        }
      }
    },

    onSignal(callback) {
      // A wrapper of its own, so that the same callback given twice is removed once.
      const listener = (sessionId: string) => callback(sessionId)
      listeners = [...listeners, listener]
      return () => {
        listeners = listeners.filter((other) => other !== listener)
      }
    },

    async close() {
      closed = true
      for (const channel of channels.values()) {
        for (const subscriber of channel.subscribers) subscriber.active = false
      }
      channels.clear()
      listeners = []
    },
  }
}

function deliver(channel: Channel, batch: EventBatch): void {
  const generation = generationOf(batch.head)
  if (generation < channel.generation) {
    const isNewLog = batch.prev <= FIRST_SEQ
    if (!isNewLog) return
    channel.turn.reset()
  }
  channel.generation = generation
  channel.turn.add(batch)
  for (const subscriber of channel.subscribers) hand(subscriber, batch)
}

function hand(subscriber: Subscriber, batch: EventBatch): void {
  if (!subscriber.active) return
  try {
    subscriber.onBatch(batch)
  } catch {
    // The publisher is the session's owner and the others are its readers: none of them can do anything about it.
  }
}

/** Looks at a few of the oldest channels only, so that a channel costs the same however many there are. */
function forgetQuiet(channels: Map<string, Channel>): void {
  let looks = 16
  for (const [sessionId, channel] of channels) {
    if (looks-- === 0) return
    channels.delete(sessionId)
    const quiet = channel.subscribers.length === 0 && !channel.turn.isOpen
    if (!quiet) channels.set(sessionId, channel)
  }
}
