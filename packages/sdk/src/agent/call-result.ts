import type { EventDraft } from '../protocol/events.ts'
import type { AssistantMessage, ToolCallPart, ToolResult } from '../protocol/messages.ts'
import { resolvedByNobody } from '../protocol/unanswered.ts'
import type { RunScope } from './run-scope.ts'

/** The calls of a message that are ours to answer. */
export function openCalls(message: AssistantMessage | undefined): ToolCallPart[] {
  return (message?.parts ?? []).filter((part): part is ToolCallPart => part.type === 'tool-call' && !part.executed)
}

/** A call's one result. Whatever it still asked for is answered by nobody. */
export function resultEvents(run: RunScope, result: ToolResult): EventDraft[] {
  const asked = run.state.pending.requests.filter(({ callId }) => callId === result.callId)
  const reason = result.recovery === 'outcome-unknown' ? 'interrupted' : 'aborted'
  return [...resolvedByNobody(asked, { runId: run.id, reason }), { type: 'tool-result', runId: run.id, result }]
}

/** For a call of a reply that was cut, or of a run that was stopped: such calls never start. */
export function cutResult({ callId, toolName }: Pick<ToolCallPart, 'callId' | 'toolName'>, why: string): ToolResult {
  const output = `Not run: ${why} before this call could start.`
  return { callId, toolName, outcome: 'aborted', output, durationMs: 0 }
}
