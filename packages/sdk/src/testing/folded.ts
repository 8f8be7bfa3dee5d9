import type { AgentEvent, EventDraft } from '../protocol/events.ts'
import { reduce } from '../protocol/reduce.ts'
import { initialState, type SessionState } from '../protocol/state.ts'

/** Drafts as events in this order, `at` the same number as `seq`. */
export function sequenced(drafts: readonly EventDraft[], after = 0): AgentEvent[] {
  return drafts.map((draft, i): AgentEvent => ({ ...draft, seq: after + i + 1, at: after + i + 1 }))
}

/** The state after these drafts, sequenced behind what the given state has seen. */
export function folded(drafts: readonly EventDraft[], state: SessionState = initialState('s')): SessionState {
  return reduce(state, sequenced(drafts, state.seq))
}
