import { type ErrorInfo, WireError } from '../../protocol/errors.ts'
import type { FinishReason } from '../../protocol/events.ts'
import type { JsonValue } from '../../protocol/json.ts'
import type { Request } from '../../protocol/requests.ts'
import type { AGUIEvent, AGUIOutcome, AGUIUsage, Dialect } from './events.ts'
import { interruptOf } from './interrupts.ts'

/** How a run ended, or that there was nothing to run. */
export interface Ending {
  readonly reason: FinishReason
  readonly error?: ErrorInfo
  readonly output?: JsonValue
}

export interface RunNames {
  readonly threadId: string
  readonly runId: string
  readonly dialect: Dialect
}

/** For people, of what has no error of its own. */
const REASONS: Readonly<Record<Exclude<FinishReason, 'stop'>, string>> = {
  'max-turns': 'The run took as many turns as it may.',
  stalled: 'The run repeated itself and came no further.',
  looping: 'The reply repeated itself and was cut.',
  aborted: 'The run was stopped.',
  'content-filter': 'The provider refused to answer.',
  compliance: 'A policy did not let this be said.',
  length: 'The provider cut the reply: it was too long.',
  blank: 'The model said nothing.',
  'budget-exceeded': 'A budget is used up.',
  interrupted: 'The run was interrupted.',
  error: 'The run failed.',
}

/** The last event of a run that ended. Both clients take a run as failed that ended for any other reason than `stop`. */
export function ended({ reason, error, output }: Ending, names: RunNames, usage: readonly AGUIUsage[]): AGUIEvent {
  if (reason === 'stop') {
    const result = output === undefined || output === null ? {} : { result: output }
    return { ...finished({ type: 'success' }, names, usage), ...result }
  }
  if (reason === 'aborted' && names.dialect === '1.0') return finished({ type: 'cancelled' }, names, usage)
  const { code, message } = error ?? { code: reason, message: REASONS[reason] }
  return { type: 'RUN_ERROR', message, code, ...(usage.length > 0 && { usage }) }
}

/** The last event for a client whose run waits for it: its next run brings the answers. */
export function waiting(requests: readonly Request[], names: RunNames, usage: readonly AGUIUsage[]): AGUIEvent {
  const interrupts = requests.flatMap((request) => interruptOf(request) ?? [])
  if (interrupts.length > 0) return finished({ type: 'interrupt', interrupts }, names, usage)
  const pendingToolCallIds = requests.flatMap(({ callId }) => callId ?? [])
  return finished({ type: 'success', ...(names.dialect === '1.0' && { pendingToolCallIds }) }, names, usage)
}

/** For a client that is let go: the run goes on, here or elsewhere, and the next request finds it. */
export function letGo(): ErrorInfo {
  return new WireError('wire.closing', 'The connection ends here; the run goes on. Run again to follow it.', {
    retryable: true,
  }).toJSON()
}

function finished(outcome: AGUIOutcome, { threadId, runId }: RunNames, usage: readonly AGUIUsage[]) {
  return { type: 'RUN_FINISHED', threadId, runId, outcome, ...(usage.length > 0 && { usage }) } as const
}
