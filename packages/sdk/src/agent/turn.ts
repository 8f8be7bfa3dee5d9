import { isBlank } from '../guards/blank.ts'
import type { StopReason } from '../protocol/events.ts'
import type { AssistantMessage } from '../protocol/messages.ts'
import { makeAttempt } from './attempt.ts'
import type { Attempt, Turn } from './attempt-record.ts'
import { openCalls } from './call-result.ts'
import { settleCalls } from './calls.ts'
import { rare } from './late.ts'
import { usageOf } from './metering.ts'
import { buildRequest } from './request.ts'
import type { Ending, RunScope } from './run-scope.ts'
import { endingAfter, hasStalled } from './turn-ending.ts'

/**
 * A turn: one model call, perhaps in several attempts, and the tools it asked for. Gives how the run ends, `parked` when
 * its calls wait for a person, or undefined when another turn follows.
 */
export async function takeTurn(run: RunScope): Promise<Ending | 'parked' | undefined> {
  if (run.isStopping || run.signal.aborted) {
    const { closeReply } = await rare()
    run.sequence(closeReply(run.state))
    return { reason: 'aborted' }
  }
  // A reply that a dead owner left open is asked for again, as a further attempt of its turn.
  const open = run.openReply
  run.tookTurn = true
  const stopBefore = run.state.run?.replyStop
  const isGrace = run.turns >= run.maxTurns
  if (isGrace && open === undefined) (await rare()).announceGrace(run)
  const turn = {
    number: open === undefined ? run.turns + 1 : run.turns,
    messageId: open?.id ?? run.runtime.ids('msg'),
    purpose: isGrace ? 'grace' : 'reply',
    ...buildRequest(run, { canCall: !isGrace }),
  } as const
  const { budget } = run.runtime
  let number = open === undefined ? 1 : (run.state.run?.attempt ?? 0) + 1
  for (let tried = 0; ; tried++, number++) {
    const refusal = budget && (await (await rare()).refusedByBudget(run, budget, turn, number))
    if (refusal !== undefined) return refusal
    const attempt = await makeAttempt(run, turn, number)
    if (attempt.failure === undefined) return afterReply(run, turn, attempt, stopBefore)
    const { afterFailure } = await rare().catch(() => {
      // Without a network neither can be had, and the model's failure tells more.
      throw attempt.failure
    })
    const next = await afterFailure(run, turn, attempt, tried)
    if (next === 'ask-another') tried = -1
    else if (next !== 'ask-again') return next
  }
}

/** The reply is whole: it is committed with its usage, and decides what comes next. */
async function afterReply(
  run: RunScope,
  turn: Turn,
  attempt: Attempt,
  stopBefore: StopReason | undefined,
): Promise<Ending | 'parked' | undefined> {
  const { reply, calls } = attempt
  const usage = await usageOf(run, turn, attempt)
  const stop = reply.done?.stop ?? 'unknown'
  const hasExtras = reply.files.length + reply.warnings.length > 0
  const { files = [], notices = [] } = hasExtras ? await (await rare()).replyExtras(run, reply) : {}
  const message = reply.message(run.state.pending.message as AssistantMessage, files, false)
  run.models = { model: reply.done?.model ?? attempt.model.model, requestedModel: run.runtime.model.model }
  run.sequence([...notices, ...(message ? [{ type: 'message', runId: run.id, message } as const] : []), usage])
  const asked = openCalls(message)
  if (stop === 'content-filter' || stop === 'length') {
    ;(await rare()).cutReply(run, asked, calls, stop)
  } else if ((await settleCalls(run, calls)) === 'parked') {
    return 'parked'
  }
  if (run.hooks) await (await run.hooks()).afterTurn(run)
  if (asked.length > 0 && !run.isSteered && (await hasStalled(run))) return { reason: 'stalled' }
  const ending = endingAfter(stop, asked.length > 0, stopBefore)
  if (ending?.reason !== 'stop' || !isBlank(message) || run.isSteered) return ending
  return (await rare()).afterBlank(run, message)
}
