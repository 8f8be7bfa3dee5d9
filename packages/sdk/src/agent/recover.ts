import { tokensOfLength } from '../context/estimate.ts'
import type { ErrorInfo } from '../protocol/errors.ts'
import type { EventDraft, Finish } from '../protocol/events.ts'
import type { AssistantMessage, ToolCallPart, ToolResult } from '../protocol/messages.ts'
import type { PendingCall, SessionState } from '../protocol/state.ts'
import { resolvedByNobody } from '../protocol/unanswered.ts'
import { addUsage, type Usage } from '../protocol/usage.ts'
import { cutResult } from './call-result.ts'
import { parseInput } from './parse-input.ts'

/** Closes whatever a run left open: everything on screen is kept, and every call has its one result. */
export function closeRun(state: SessionState, because: 'interrupted' | 'error', error?: ErrorInfo): EventDraft[] {
  const run = state.run
  if (run === undefined) return []
  const reason: Finish['reason'] = run.stopping ? 'aborted' : because
  const closed = closeReply(state)
  const usage = closed.find((draft) => draft.type === 'usage') ?? state.usage
  const totals = { run: usage.run, total: usage.total }
  return [...closed, { type: 'finish', runId: run.id, reason, usage: totals, ...(error && { error }) }]
}

/** What was on screen, what it cost, and a result for every call: of a reply that is not asked for again. */
export function closeReply(state: SessionState): EventDraft[] {
  const { run } = state
  if (run === undefined) return []
  const message = keptMessage(state.pending.message)
  const calls = [
    ...Object.values(state.pending.calls).map((call) => interruptedResult(call)),
    ...(message?.parts ?? []).flatMap((part) =>
      part.type === 'tool-call' && !part.executed ? [cutResult(part, 'the reply was interrupted')] : [],
    ),
  ]
  const usage = closedCall(state)
  return [
    ...(message ? [{ type: 'message', runId: run.id, message } satisfies EventDraft] : []),
    ...(usage ? [usage] : []),
    // Nobody answers any more.
    ...resolvedByNobody(state.pending.requests, { runId: run.id, reason: run.stopping ? 'aborted' : 'interrupted' }),
    ...calls.map((result): EventDraft => ({ type: 'tool-result', runId: run.id, result })),
  ]
}

/** The usage of a model call whose end nobody saw, by the estimate made before it. */
export function closedCall(state: SessionState): (EventDraft & { type: 'usage' }) | undefined {
  const { run } = state
  if (run?.openCall === undefined) return undefined
  const { model, estimatedTokens } = run.openCall
  const said = (state.pending.message?.parts ?? []).reduce((length, part) => length + partLength(part), 0)
  const call: Usage = {
    ...(estimatedTokens !== undefined && { inputTokens: estimatedTokens }),
    outputTokens: tokensOfLength(said),
    estimated: true,
  }
  return {
    type: 'usage',
    runId: run.id,
    call,
    run: addUsage(state.usage.run, call),
    total: addUsage(state.usage.total, call),
    model,
    requestedModel: model,
    stop: 'error',
  }
}

function partLength(part: AssistantMessage['parts'][number]): number {
  if (part.type === 'text' || part.type === 'reasoning') return part.text.length
  return part.type === 'tool-call' ? (part.inputText?.length ?? 0) : 0
}

/** The reply as it was cut, if there is anything in it. */
function keptMessage(pending: AssistantMessage | undefined): AssistantMessage | undefined {
  if (pending === undefined || pending.parts.every((part) => 'text' in part && part.text === '')) return undefined
  const parts = pending.parts.map((part) => (part.type === 'tool-call' ? cutCall(part) : part))
  return { ...pending, parts, partial: true }
}

function cutCall(part: ToolCallPart): ToolCallPart {
  const { inputText, ...rest } = part
  const input = part.input ?? parseInput(inputText ?? '')
  if (part.executed) return { ...rest, state: 'done', ...(input ? { input } : { inputText: inputText ?? '' }) }
  return { ...rest, state: 'ready', ...(input ? { input } : { inputText: inputText ?? '' }) }
}

/** For a call that a dead owner left without a result. */
export function interruptedResult(call: PendingCall): ToolResult {
  const started = call.started !== undefined
  return {
    callId: call.callId,
    toolName: call.toolName,
    outcome: started ? 'unknown' : 'aborted',
    output: started
      ? 'Interrupted while it ran: its outcome is unknown. Check before you repeat it.'
      : 'Interrupted before it started: it did nothing.',
    recovery: started ? 'outcome-unknown' : 'never-started',
    durationMs: 0,
  }
}
