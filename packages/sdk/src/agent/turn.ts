import { isBlank } from '../guards/blank.ts'
import { isStalled } from '../guards/stalled.ts'
import { errorInfo } from '../protocol/errors.ts'
import type { EventDraft, StopReason } from '../protocol/events.ts'
import type { AssistantMessage, FilePart, ToolCallPart } from '../protocol/messages.ts'
import { NOTICE_CODES } from '../protocol/notices.ts'
import { type Attempt, makeAttempt, type Turn } from './attempt.ts'
import { cutCalls, settleCalls } from './calls.ts'
import { reserve } from './metering.ts'
import { closeReply } from './recover.ts'
import { buildRequest } from './request.ts'
import { retryDelay, waitToRetry } from './retry.ts'
import type { Ending, RunScope } from './run-scope.ts'
import { unlessAborted } from './unless-aborted.ts'

/**
 * A turn: one model call, perhaps in several attempts, and the tools it asked for. Gives how the run ends, `parked` when
 * its calls wait for a person, or undefined when another turn follows.
 */
export async function takeTurn(run: RunScope): Promise<Ending | 'parked' | undefined> {
  if (run.isStopping || run.signal.aborted) {
    run.sequence(closeReply(run.state))
    return { reason: 'aborted' }
  }
  // A reply that a dead owner left open is asked for again, as a further attempt of its turn.
  const open = run.openReply
  run.tookTurn = true
  const stopBefore = run.state.run?.replyStop
  const isGrace = run.turns >= run.maxTurns
  if (isGrace && open === undefined) announceGrace(run)
  const turn = {
    number: open === undefined ? run.turns + 1 : run.turns,
    firstAttempt: open === undefined ? 1 : (run.state.run?.attempt ?? 0) + 1,
    messageId: open?.id ?? run.runtime.ids('msg'),
    purpose: isGrace ? 'grace' : 'reply',
    ...buildRequest(run, { canCall: !isGrace }),
  } as const
  let number = turn.firstAttempt
  for (let tried = 0; ; tried++, number++) {
    const refusal = await refusedByBudget(run, turn, number)
    if (refusal !== undefined) return refusal
    const attempt = await makeAttempt(run, turn, number)
    const { failure, usage } = attempt
    if (failure === undefined) return afterReply(run, attempt, stopBefore)
    const delayMs = retryDelay(run, failure, tried)
    if (delayMs === undefined && !fallsBack(run, attempt)) return giveUp(run, attempt, [usage])
    run.sequence([usage])
    if (delayMs === undefined) {
      tried = -1
      continue
    }
    await waitToRetry(run, { attempt: number + 1, delayMs, error: failure })
    if (run.signal.aborted) return giveUp(run, attempt, [])
  }
}

/** What the budget forbids is not asked for: everything stays as it is, and a higher limit lets the run go on. */
async function refusedByBudget(run: RunScope, turn: Turn, attempt: number): Promise<Ending | undefined> {
  let refusal: Ending
  try {
    const decision = await unlessAborted(run.signal, reserve(run, turn, attempt))
    if (decision?.ok) return undefined
    refusal =
      decision === undefined
        ? { reason: 'aborted' }
        : { reason: 'budget-exceeded', breach: decision.breach, error: decision.error }
  } catch (thrown) {
    refusal = { reason: 'error', error: errorInfo(thrown) }
  }
  run.sequence(closeReply(run.state))
  return refusal
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

/** The reply is whole: it is committed with its usage, and decides what comes next. */
async function afterReply(
  run: RunScope,
  attempt: Attempt & { readonly usage: EventDraft },
  stopBefore: StopReason | undefined,
): Promise<Ending | 'parked' | undefined> {
  const { reply, calls } = attempt
  const stop = reply.done?.stop ?? 'unknown'
  const message = reply.message(pendingMessage(run), await storeFiles(run, attempt), false)
  run.models = { model: reply.done?.model ?? attempt.model.model, requestedModel: run.runtime.model.model }
  run.sequence([...warnings(run, attempt), ...committed(run, message), attempt.usage])
  const asked = openCalls(message)
  if (stop === 'content-filter') {
    cutCalls(run, asked, calls, 'the reply was filtered by the provider')
  } else if (stop === 'length') {
    cutCalls(run, asked, calls, 'the reply was cut at its length limit. Answer more briefly')
  } else if ((await settleCalls(run, calls)) === 'parked') {
    return 'parked'
  }
  if (asked.length > 0 && !run.isSteered && isStalled(run.state.history, run.id, run.runtime.maxRepeats)) {
    return { reason: 'stalled' }
  }
  const ending = endingAfter(stop, asked.length > 0, stopBefore)
  return ending?.reason === 'stop' && isBlank(message) && !run.isSteered ? afterBlank(run, message) : ending
}

/** The calls decide whether a run goes on, not the provider's word for why it stopped. */
function endingAfter(stop: StopReason, hasCalls: boolean, before?: StopReason): Ending | undefined {
  if (stop === 'content-filter') return { reason: 'content-filter' }
  if (stop === 'length') return hasCalls && before !== 'length' ? undefined : { reason: 'length' }
  return hasCalls || stop === 'pause' ? undefined : { reason: 'stop' }
}

/** How the run ends by a whole reply that a dead owner stored last; undefined when it left none, or a turn is due. */
export function endingLeftBehind({ state: { run, history } }: RunScope): Ending | undefined {
  const last = history.at(-1)
  if (run?.replyStop === undefined || last?.role !== 'assistant' || last.runId !== run.id) return undefined
  return endingAfter(run.replyStop, openCalls(last).length > 0)
}

/** The turn failed or was stopped: what was on screen is kept, and its calls never start. */
async function giveUp(run: RunScope, attempt: Attempt, usage: readonly EventDraft[]): Promise<Ending> {
  const { reply, calls, failure } = attempt
  const pending = run.state.pending.message
  const message = pending && reply.message(pending, [], true)
  run.sequence([...warnings(run, attempt), ...committed(run, message), ...usage])
  cutCalls(
    run,
    openCalls(message),
    calls,
    failure?.code === 'session.aborted' ? 'the run was stopped' : 'the reply was cut',
  )
  if (failure?.code === 'session.aborted') return { reason: 'aborted' }
  if (attempt.cut !== undefined) return { reason: attempt.cut, ...(failure && { error: failure.toJSON() }) }
  if (failure?.code === 'provider.content-filter') return { reason: 'content-filter', error: failure.toJSON() }
  return failure === undefined ? { reason: 'error' } : { reason: 'error', error: failure.toJSON() }
}

/** A run that worked and says nothing is asked once more. One in which nothing happened at all has ended. */
function afterBlank(run: RunScope, message: AssistantMessage | undefined): Ending | undefined {
  const { id, asked, state } = run
  if (asked.blank > 0) return { reason: 'blank' }
  const worked = message ?? state.history.find(({ role, runId }) => role === 'assistant' && runId === id)
  if (worked === undefined) return { reason: 'stop' }
  asked.blank++
  run.notice('reply.blank', 'The model replied without a word, and was asked once more.')
  run.tellModel('Your last reply was empty. Say in a few words what you did and what you found.')
  return undefined
}

function announceGrace(run: RunScope): void {
  if (run.turns > run.maxTurns) return
  run.notice('turns.grace', `The run has used its ${run.maxTurns} turns; the model may only sum up.`)
  run.tellModel('You have used all turns of this run and can call no more tools. Answer now with what you have.')
}

const KNOWN_CODES: readonly string[] = NOTICE_CODES

/** What a provider, or the policy, wants people to know of the reply. */
function warnings({ id: runId }: RunScope, { reply }: Attempt): EventDraft[] {
  return reply.warnings.map(({ code, message: text }) =>
    KNOWN_CODES.includes(code)
      ? { type: 'notice', runId, code, text }
      : { type: 'notice', runId, code: 'provider.warning', text, details: { code } },
  )
}

function pendingMessage(run: RunScope): AssistantMessage {
  return run.state.pending.message as AssistantMessage
}

function committed(run: RunScope, message: AssistantMessage | undefined): EventDraft[] {
  return message === undefined ? [] : [{ type: 'message', runId: run.id, message }]
}

function openCalls(message: AssistantMessage | undefined): ToolCallPart[] {
  return (message?.parts ?? []).filter((part): part is ToolCallPart => part.type === 'tool-call' && !part.executed)
}

/** Bytes resolve before the event that names them. */
function storeFiles(run: RunScope, { reply }: Attempt): Promise<FilePart[]> {
  return Promise.all(
    reply.files.map(async ({ mediaType, bytes, name }): Promise<FilePart> => {
      const named = name === undefined ? {} : { name }
      try {
        const blob = await run.runtime.store.blobs.put(run.state.id, bytes, mediaType)
        return { type: 'file', mediaType, blob, ...named }
      } catch {
        return { type: 'file', mediaType, omitted: 'it could not be stored', ...named }
      }
    }),
  )
}
