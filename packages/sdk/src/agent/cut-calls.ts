import { SessionError, StepwellError } from '../protocol/errors.ts'
import type { ToolCallPart } from '../protocol/messages.ts'
import { cutResult, resultEvents } from './call-result.ts'
import type { Calls } from './execution.ts'
import { interruptedResult } from './recover.ts'
import type { RunScope } from './run-scope.ts'

/** The reply was cut: calls that had finished keep their results, the others are told why they never ran. */
export function cutCalls(run: RunScope, parts: readonly ToolCallPart[], calls: Calls, why: string): void {
  run.sequence(parts.flatMap((part) => resultEvents(run, calls.finishedEarly(part.callId) ?? cutResult(part, why))))
  calls.end(new SessionError('session.aborted', `The call is over: ${why}.`))
}

const CUT_BY = {
  'content-filter': 'the reply was filtered by the provider',
  length: 'the reply was cut at its length limit. Answer more briefly',
} as const

/** The provider cut the reply. */
export function cutReply(run: RunScope, parts: readonly ToolCallPart[], calls: Calls, by: keyof typeof CUT_BY): void {
  cutCalls(run, parts, calls, CUT_BY[by])
}

/** Why a reply that repeats itself is read no further. */
export function cutLooping() {
  const failure = new StepwellError('output.looping', 'The reply repeated itself without an end, and was cut.')
  return { cut: 'looping', failure } as const
}

/** The run is stopped: what has not started never will. */
export function cutWaitingCalls(run: RunScope, started: ReadonlySet<string>): void {
  const waiting = Object.values(run.state.pending.calls).filter(({ callId }) => !started.has(callId))
  run.sequence(waiting.flatMap((call) => resultEvents(run, cutResult(call, 'the run was stopped'))))
}

/** What may have changed something when its owner died never runs again: its outcome stays unknown. */
export function endInterruptedWrites(run: RunScope): void {
  const interrupted = Object.values(run.state.pending.calls).filter(({ started }) => started === 'write')
  run.sequence(interrupted.flatMap((call) => resultEvents(run, interruptedResult(call))))
}
