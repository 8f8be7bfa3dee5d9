import type { StopReason } from '../protocol/events.ts'
import { rare } from './late.ts'
import type { Ending, RunScope } from './run-scope.ts'

/** No run stalls before it has taken that many turns. */
export async function hasStalled(run: RunScope): Promise<boolean> {
  const { maxRepeats } = run.runtime
  if (run.turns < maxRepeats) return false
  run.isStalled ??= (await rare()).isStalled
  return run.isStalled(run.state.history, run.id, maxRepeats)
}

/** The calls decide whether a run goes on, not the provider's word for why it stopped. */
export function endingAfter(stop: StopReason, hasCalls: boolean, before?: StopReason): Ending | undefined {
  if (stop === 'content-filter') return { reason: 'content-filter' }
  if (stop === 'length') return hasCalls && before !== 'length' ? undefined : { reason: 'length' }
  return hasCalls || stop === 'pause' ? undefined : { reason: 'stop' }
}
