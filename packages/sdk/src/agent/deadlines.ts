import type { SessionState } from '../protocol/state.ts'

/** When the first open request is over, in epoch ms. */
export function nextDeadline({ pending: { requests } }: SessionState): number | undefined {
  const first = Math.min(...requests.map(({ deadline = Infinity }) => deadline))
  return first < Infinity ? first : undefined
}

/** Whether nothing but an answer, or a deadline, can take the open run further, and nothing of it was under way. */
export function isParked(state: SessionState): boolean {
  return state.status === 'waiting' && Object.values(state.pending.calls).every(({ started }) => started === undefined)
}
