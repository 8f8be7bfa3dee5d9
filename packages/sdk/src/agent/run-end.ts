import { SessionError } from '../protocol/errors.ts'
import type { EventDraft } from '../protocol/events.ts'
import type { Input } from '../protocol/state.ts'
import type { Ending, RunScope } from './run-scope.ts'

/** The event that ends a run. */
export function finishOf(run: RunScope, ending: Ending): EventDraft {
  const { usage } = run.state
  return {
    type: 'finish',
    runId: run.id,
    ...(run.isStopping ? { reason: 'aborted' } : ending),
    usage: { run: usage.run, total: usage.total },
    ...run.models,
  }
}

/** Whether the run goes on after all: someone wrote into it while it was about to end. */
export function goesOn(run: RunScope, { reason }: Ending): boolean {
  return reason === 'stop' && run.isSteered
}

/** The queue goes on after `stop`; after an abort only with what was sent since. Any other ending leaves it to a person. */
export function nextInput(run: RunScope, { reason }: Ending): Input | undefined {
  return reason === 'stop' || run.isStopping ? run.state.pending.lanes.queue[0] : undefined
}

/** Why a request or a tool of a stopped run ends. */
export function aborted(): SessionError {
  return new SessionError('session.aborted', 'The run was stopped.')
}
