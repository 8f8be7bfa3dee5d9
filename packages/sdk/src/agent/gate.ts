import type { EventDraft } from '../protocol/events.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { ToolResult } from '../protocol/messages.ts'
import type { Request } from '../protocol/requests.ts'
import type { PreparedCall } from '../tools/prepare.ts'
import { rare } from './late.ts'
import type { RunScope } from './run-scope.ts'

/** A call that was checked and may run. */
export type Runnable = Extract<PreparedCall, { ok: true }> & {
  /** The input an approver or a plugin put in place of the model's. */
  readonly ranWith?: JsonObject
}

interface Noted {
  /** What plugins made of its input, to be written down before the step is taken. */
  readonly changes?: readonly EventDraft[]
}

/** What comes next for a call. */
export type Step =
  | ({ readonly type: 'result'; readonly result: ToolResult } & Noted)
  | ({ readonly type: 'request'; readonly input: JsonObject; readonly request: Request } & Noted)
  | ({ readonly type: 'run'; readonly input: JsonObject; readonly call: Runnable } & Noted)

/** Decides about a call that was checked: it runs, is asked for, or has its result already. */
export function nextStep(run: RunScope, callId: string, checked: PreparedCall): Step | Promise<Step> {
  if (!checked.ok) return { type: 'result', result: checked.result }
  const { resolved, started, changedInput } = run.state.pending.calls[callId] ?? {}
  const call = changedInput ? { ...checked, ranWith: changedInput } : checked
  const answer = resolved?.[requestId(callId)]
  if (answer !== undefined) return rare().then(({ stepAfterAnswer }) => stepAfterAnswer(run, callId, call, answer))
  // A dead owner let it start: it is not asked for a second time.
  if (started !== undefined) return { type: 'run', input: call.sent, call }
  const decide = (call: Runnable) => decideOn(run, callId, call)
  return run.hooks?.().then(({ beforeTool }) => beforeTool(run, callId, call, decide)) ?? decide(call)
}

function decideOn(run: RunScope, callId: string, call: Runnable): Step | Promise<Step> {
  const { tool } = call
  if (tool.execute !== undefined && tool.needsApproval === undefined && run.prepared.permissions === undefined) {
    return { type: 'run', input: call.sent, call }
  }
  return rare().then(({ stepBeforeAnswer }) => stepBeforeAnswer(run, callId, call))
}

/** The request that holds a call back. The same in every process, so that asking again asks nothing new. */
export function requestId(callId: string): string {
  return `req_${callId}`
}
