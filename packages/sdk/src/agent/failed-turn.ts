import type { EventDraft } from '../protocol/events.ts'
import type { Attempt, Turn } from './attempt-record.ts'
import { openCalls } from './call-result.ts'
import { cutCalls } from './cut-calls.ts'
import { usageOf } from './metering.ts'
import { replyNotices } from './reply-extras.ts'
import { retryDelay, waitToRetry } from './retry.ts'
import type { Ending, RunScope } from './run-scope.ts'

/**
 * What follows an attempt that brought no whole reply: the same model is asked again, or the next one, or the run ends.
 * `tried`: how many attempts this model has made before.
 */
export async function afterFailure(
  run: RunScope,
  turn: Turn,
  attempt: Attempt,
  tried: number,
): Promise<Ending | 'ask-again' | 'ask-another'> {
  const { failure, number } = attempt
  const usage = await usageOf(run, turn, attempt)
  const delayMs = failure && retryDelay(run, failure, tried)
  if (failure === undefined || (delayMs === undefined && !fallsBack(run, attempt))) {
    return giveUp(run, attempt, [usage])
  }
  run.sequence([usage])
  if (delayMs === undefined) return 'ask-another'
  await waitToRetry(run, { attempt: number + 1, delayMs, error: failure })
  return run.signal.aborted ? giveUp(run, attempt, []) : 'ask-again'
}

const FALLBACK_CODES: readonly string[] = ['provider.overloaded', 'provider.quota', 'provider.rate-limited']

/** Whether another model is asked. What a person or the request itself is to blame for would fail there too. */
function fallsBack(run: RunScope, { failure, model }: Attempt): boolean {
  const isWorthIt = failure !== undefined && (failure.retryable || FALLBACK_CODES.includes(failure.code))
  if (!isWorthIt || run.isStopping || run.signal.aborted || !run.fallBack()) return false
  const text = `${model.model} cannot answer: ${failure.message} ${run.model.model} is asked instead.`
  run.notice('model.fallback', text, { from: model.model, to: run.model.model, code: failure.code })
  return true
}

/** The turn failed or was stopped: what was on screen is kept, and its calls never start. */
function giveUp(run: RunScope, attempt: Attempt, usage: readonly EventDraft[]): Ending {
  const { reply, calls, failure } = attempt
  const pending = run.state.pending.message
  const message = pending && reply.message(pending, [], true)
  const committed: EventDraft[] = message === undefined ? [] : [{ type: 'message', runId: run.id, message }]
  run.sequence([...replyNotices(run, reply), ...committed, ...usage])
  const isStopped = failure?.code === 'session.aborted'
  cutCalls(run, openCalls(message), calls, isStopped ? 'the run was stopped' : 'the reply was cut')
  if (isStopped) return { reason: 'aborted' }
  const reason = attempt.cut ?? (failure?.code === 'provider.content-filter' ? 'content-filter' : 'error')
  return { reason, ...(failure && { error: failure.toJSON() }) }
}
