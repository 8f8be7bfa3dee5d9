import type { AgentEvent, DeltaEvent } from './events.ts'

/**
 * The two as one event under the seq of the later one, or undefined when they are not deltas that adjoin. Merging loses
 * nothing a reader could miss: `from` says where the text belongs.
 */
export function mergeDelta(last: AgentEvent | undefined, next: AgentEvent): DeltaEvent | undefined {
  if (last?.type !== next.type || !('part' in last && 'part' in next) || last.part !== next.part) return undefined
  if (last.from + last.text.length !== next.from) return undefined
  const text = last.text + next.text
  // Only tool input has fields that a later delta may leave out; one spread is three times as fast as two.
  return next.type === 'tool-input-delta'
    ? { ...last, ...next, from: last.from, text }
    : { ...next, from: last.from, text }
}

/** The events in their order, with every pair of adjoining deltas merged. Any other event keeps its neighbours apart. */
export function mergeAdjoining(events: readonly AgentEvent[]): AgentEvent[] {
  const merged: AgentEvent[] = []
  for (const event of events) {
    const both = mergeDelta(merged.at(-1), event)
    if (both) merged[merged.length - 1] = both
    else merged.push(event)
  }
  return merged
}
