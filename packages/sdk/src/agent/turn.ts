import type { EventDraft, StopReason } from '../protocol/events.ts'
import type { AssistantMessage, FilePart, ToolCallPart } from '../protocol/messages.ts'
import { type Attempt, makeAttempt, usageOf } from './attempt.ts'
import { cutCalls, settleCalls } from './calls.ts'
import { closeReply } from './recover.ts'
import { buildRequest } from './request.ts'
import { retryDelay, waitToRetry } from './retry.ts'
import type { Ending, RunScope } from './run-scope.ts'

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
  const turn = {
    number: open === undefined ? run.turns + 1 : run.turns,
    firstAttempt: open === undefined ? 1 : (run.state.run?.attempt ?? 0) + 1,
    messageId: open?.id ?? run.runtime.ids('msg'),
    ...buildRequest(run),
  }
  for (let tried = 0; ; tried++) {
    const attempt = await makeAttempt(run, turn, turn.firstAttempt + tried)
    if (attempt.failure === undefined) return afterReply(run, attempt, stopBefore)
    const delayMs = retryDelay(run, attempt.failure, tried)
    if (delayMs === undefined) return giveUp(run, attempt, [usageOf(run, attempt)])
    run.sequence([usageOf(run, attempt)])
    await waitToRetry(run, { attempt: attempt.number + 1, delayMs, error: attempt.failure })
    if (run.signal.aborted) return giveUp(run, attempt, [])
  }
}

/** The reply is whole: it is committed with its usage, and decides what comes next. */
async function afterReply(
  run: RunScope,
  attempt: Attempt,
  stopBefore: StopReason | undefined,
): Promise<Ending | 'parked' | undefined> {
  const { reply, calls } = attempt
  const stop = reply.done?.stop ?? 'unknown'
  const message = reply.message(pendingMessage(run), await storeFiles(run, attempt), false)
  run.models = { model: reply.done?.model ?? run.runtime.model.model, requestedModel: run.runtime.model.model }
  run.sequence([
    ...reply.warnings.map(({ code, message: text }): EventDraft => ({ type: 'notice', runId: run.id, code, text })),
    ...committed(run, message),
    usageOf(run, attempt),
  ])
  const asked = openCalls(message)
  if (stop === 'content-filter') {
    cutCalls(run, asked, calls, 'the reply was filtered by the provider')
  } else if (stop === 'length') {
    cutCalls(run, asked, calls, 'the reply was cut at its length limit. Answer more briefly')
  } else if ((await settleCalls(run, calls)) === 'parked') {
    return 'parked'
  }
  return endingAfter(stop, asked.length > 0, stopBefore)
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
  run.sequence([...committed(run, message), ...usage])
  cutCalls(
    run,
    openCalls(message),
    calls,
    failure?.code === 'session.aborted' ? 'the run was stopped' : 'the reply was cut',
  )
  if (failure?.code === 'session.aborted') return { reason: 'aborted' }
  if (failure?.code === 'provider.content-filter') return { reason: 'content-filter', error: failure.toJSON() }
  return failure === undefined ? { reason: 'error' } : { reason: 'error', error: failure.toJSON() }
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
