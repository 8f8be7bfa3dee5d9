import { runIdOf } from '../../protocol/commands.ts'
import type { AgentEvent } from '../../protocol/events.ts'

/**
 * Where runs and inputs begin, as far as it was seen here: one that is followed need not be looked for in the whole log.
 * Of each id the seq at and below which there is nothing of it; undefined while everything is watched and nothing was seen.
 */
export type RunStarts = Map<string, number | undefined>

/** Ids remembered. */
const KEPT = 2_000

/** A command is sent now: nothing of its input and its run is in what was read. */
export function expectStarts(starts: RunStarts, commandId: string): void {
  for (const id of [commandId, runIdOf(commandId)]) if (!starts.has(id)) remember(starts, id, undefined)
}

export function noteStarts(starts: RunStarts, events: readonly AgentEvent[]): void {
  for (const event of events) {
    if (event.type === 'input') begin(starts, event.inputId, event.seq)
    if (isStart(event)) begin(starts, event.runId, event.seq)
  }
}

/** Events above this seq were left out. */
export function skipStarts(starts: RunStarts, seq: number): void {
  for (const [id, after] of starts) starts.set(id, after ?? seq)
}

/** A run begins with the input it was started by, or else with its `run-start`. */
function isStart(event: AgentEvent): boolean {
  return event.type === 'run-start' || (event.type === 'input' && event.lane === 'start')
}

function begin(starts: RunStarts, id: string | undefined, seq: number): void {
  if (id && starts.get(id) === undefined) remember(starts, id, seq - 1)
}

function remember(starts: RunStarts, id: string, after: number | undefined): void {
  starts.set(id, after)
  const [oldest = ''] = starts.keys()
  if (starts.size > KEPT) starts.delete(oldest)
}
