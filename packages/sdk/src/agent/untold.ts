import type { AgentEvent, DeltaEvent } from '../protocol/events.ts'
import { isDelta, isDurable } from '../protocol/events.ts'

/** What of the shown deltas the stored events do not tell already. */
export function untold(deltas: readonly DeltaEvent[], stored: readonly AgentEvent[], after: number): DeltaEvent[] {
  const told = new Map<number, number>()
  const lastDurable = stored.findLastIndex((event) => isDurable(event))
  for (const event of stored.slice(lastDurable + 1)) {
    if (isDelta(event)) told.set(event.part, event.from + event.text.length)
  }
  return deltas.flatMap((delta) => {
    if (delta.seq <= after) return []
    const have = told.get(delta.part) ?? 0
    const gained = delta.from + delta.text.length - have
    if (gained <= 0 && delta.text.length > 0) return []
    if (delta.from >= have) return [delta]
    return [{ ...delta, from: have, text: delta.text.slice(-gained) }]
  })
}
