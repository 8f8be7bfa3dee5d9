import type { AgentEvent, DeltaEvent } from './events.ts'
import { isDelta } from './events.ts'

/**
 * The two as one event under the seq of the later one, or undefined when they do not adjoin. Merging loses nothing a
 * reader could miss: `from` says where the text belongs.
 */
export function mergeDelta(last: DeltaEvent | undefined, next: DeltaEvent): DeltaEvent | undefined {
  if (last === undefined || last.type !== next.type || last.part !== next.part) return undefined
  if (last.from + last.text.length !== next.from) return undefined
  const text = last.text + next.text
  // Only tool input has fields that a later delta may leave out; one spread is three times as fast as two.
  if (next.type === 'tool-input-delta') return { ...last, ...next, from: last.from, text }
  return { ...next, from: last.from, text }
}

/** Deltas with every adjoining pair merged. */
export function mergeDeltas(deltas: readonly DeltaEvent[]): DeltaEvent[] {
  const merged: DeltaEvent[] = []
  for (const delta of deltas) {
    const both = mergeDelta(merged.at(-1), delta)
    if (both) merged[merged.length - 1] = both
    else merged.push(delta)
  }
  return merged
}

/** The events in their order, with every pair of adjoining deltas merged. Any other event keeps its neighbours apart. */
export function mergeAdjoining(events: readonly AgentEvent[]): AgentEvent[] {
  const merged: AgentEvent[] = []
  let deltas: DeltaEvent[] = []
  for (const event of events) {
    if (isDelta(event)) {
      deltas.push(event)
    } else {
      merged.push(...mergeDeltas(deltas), event)
      deltas = []
    }
  }
  merged.push(...mergeDeltas(deltas))
  return merged
}
