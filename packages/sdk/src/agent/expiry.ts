import { resolvedByNobody } from '../protocol/unanswered.ts'
import { nextDeadline } from './deadlines.ts'
import { MAX_TIMER_MS } from './defaults.ts'
import type { RunScope } from './run-scope.ts'
import { within } from './within.ts'

/** Requests whose time is over are answered by nobody. */
export function expireRequests(run: RunScope): void {
  const now = run.clock.now()
  const late = run.state.pending.requests.filter(({ deadline }) => deadline !== undefined && deadline <= now)
  if (late.length > 0) run.sequence(resolvedByNobody(late, { runId: run.id, reason: 'deadline' }))
}

/** Nothing but an answer takes the run further, or the end of the time for it: then it is woken. */
export function park(run: RunScope): 'parked' {
  run.sequence([], { row: { parked: true, wakeAt: nextDeadline(run.state) ?? null } })
  return 'parked'
}

/** Waits for the news of a run with open requests, and no longer than the first of them may wait. */
export async function untilExpiry(run: RunScope, news: Promise<void>): Promise<void> {
  const at = nextDeadline(run.state)
  if (at === undefined) return news
  return within(run.clock, Math.min(Math.max(0, at - run.clock.now()), MAX_TIMER_MS), news)
}
