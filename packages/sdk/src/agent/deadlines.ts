import type { SessionState } from '../protocol/state.ts'
import { resolvedByNobody } from '../protocol/unanswered.ts'
import { MAX_TIMER_MS } from './defaults.ts'
import type { RunScope } from './run-scope.ts'

/** Requests whose time is over are answered by nobody. */
export function expireRequests(run: RunScope): void {
  const { requests } = run.state.pending
  if (requests.length === 0) return
  const now = run.clock.now()
  const late = requests.filter(({ deadline }) => deadline !== undefined && deadline <= now)
  if (late.length === 0) return
  run.sequence(resolvedByNobody(late, { runId: run.id, reason: 'deadline' }))
}

/** When the first open request is over, in epoch ms. */
export function nextDeadline({ pending: { requests } }: SessionState): number | undefined {
  return requests.reduce<number | undefined>(
    (first, { deadline }) => (deadline !== undefined && deadline < (first ?? Infinity) ? deadline : first),
    undefined,
  )
}

/** Whether nothing but an answer, or a deadline, can take the open run further, and nothing of it was under way. */
export function isParked(state: SessionState): boolean {
  return state.status === 'waiting' && Object.values(state.pending.calls).every(({ started }) => started === undefined)
}

/** `over` settles at that time; without a time it never does. */
export function sleepUntil(run: RunScope, at: number | undefined): { readonly over: Promise<void>; cancel(): void } {
  let cancel = (): void => {}
  const over = new Promise<void>((resolve) => {
    if (at !== undefined)
      cancel = run.clock.setTimer(resolve, Math.min(Math.max(0, at - run.clock.now()), MAX_TIMER_MS))
  })
  return { over, cancel: () => cancel() }
}
