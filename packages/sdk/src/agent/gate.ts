import type { JsonObject } from '../protocol/json.ts'
import type { ToolResult } from '../protocol/messages.ts'
import type { Request } from '../protocol/requests.ts'
import type { PreparedCall } from '../tools/prepare.ts'
import type { RunScope } from './run-scope.ts'

/** A call that was checked and may run. */
export type Runnable = Extract<PreparedCall, { ok: true }> & {
  /** The input an approver put in place of the model's. */
  readonly ranWith?: JsonObject
}

/** What comes next for a call. */
export type Step =
  | { readonly type: 'result'; readonly result: ToolResult }
  | { readonly type: 'request'; readonly input: JsonObject; readonly request: Request }
  | { readonly type: 'run'; readonly input: JsonObject; readonly call: Runnable }

/** Decides about a call that was checked: it runs, is asked for, or has its result already. */
export async function nextStep(run: RunScope, callId: string, call: PreparedCall): Promise<Step> {
  if (!call.ok) return { type: 'result', result: call.result }
  const { tool } = call
  const { resolved, started } = run.state.pending.calls[callId] ?? {}
  const answer = resolved?.[requestId(callId)]
  if (answer !== undefined) return (await import('./rare.ts')).stepAfterAnswer(run, callId, call, answer)
  // A dead owner let it start: it is not asked for a second time.
  if (started !== undefined) return { type: 'run', input: call.sent, call }
  if (tool.execute !== undefined && tool.needsApproval === undefined && run.runtime.permissions === undefined) {
    return { type: 'run', input: call.sent, call }
  }
  return (await import('./rare.ts')).stepBeforeAnswer(run, callId, call)
}

/** The request that holds a call back. The same in every process, so that asking again asks nothing new. */
export function requestId(callId: string): string {
  return `req_${callId}`
}
