import { openCalls } from './call-result.ts'
import type { Ending, RunScope } from './run-scope.ts'
import { endingAfter, hasStalled } from './turn-ending.ts'

/**
 * How a run that goes on, after a crash or an answer, ends by the reply that stands last; undefined when it has none, or
 * a turn is due.
 */
export async function endingLeftBehind(run: RunScope): Promise<Ending | undefined> {
  const { run: open, history } = run.state
  const last = history.at(-1)
  if (open?.replyStop === undefined || last?.role !== 'assistant' || last.runId !== open.id) return undefined
  const hasCalls = openCalls(last).length > 0
  if (hasCalls && !run.isSteered && (await hasStalled(run))) return { reason: 'stalled' }
  return endingAfter(open.replyStop, hasCalls)
}
