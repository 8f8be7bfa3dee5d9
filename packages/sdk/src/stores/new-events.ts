import type { AgentEvent } from '../protocol/events.ts'
import { outOfOrder } from './errors.ts'

/**
 * What of an append is not stored yet: all of it, nothing when it is a repetition, the rest when a repetition grew.
 * Rejects what would go below the head: a log only grows at its end.
 */
export function newEvents(
  id: string,
  events: readonly AgentEvent[],
  head: number,
  isStored: (seq: number) => boolean,
): readonly AgentEvent[] {
  let stored = 0
  let last = -1
  for (const event of events) {
    if (event.seq <= last) throw outOfOrder(id, event.seq)
    last = event.seq
    if (event.seq > head) continue
    if (!isStored(event.seq)) throw outOfOrder(id, event.seq)
    stored++
  }
  return stored === 0 ? events : events.slice(stored)
}
