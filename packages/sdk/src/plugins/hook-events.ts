import type { ErrorInfo } from '../protocol/errors.ts'
import type { FinishReason } from '../protocol/events.ts'
import type { JsonObject, JsonValue } from '../protocol/json.ts'
import type { AssistantMessage, ToolResult, UserPart } from '../protocol/messages.ts'
import type { UsageTotals } from '../protocol/usage.ts'

// What hooks are told: plain data, which can be sent to another program as JSON.

export interface HookBase {
  readonly sessionId: string
  /** Whose session it is. */
  readonly principal?: string
}

export interface RunHook extends HookBase {
  readonly runId: string
  /** Who asked for the run. */
  readonly by?: string
  /** Counted from 1; 0 before the first. */
  readonly turn: number
}

export interface SessionStartHook extends RunHook {
  readonly hook: 'session:start'
  readonly reason: 'new' | 'resumed'
}

export interface SessionEndHook extends HookBase {
  readonly hook: 'session:end'
  readonly reason: 'closed' | 'deleted' | 'removed' | 'forgotten'
}

/** `turn` is the one that comes. */
export interface TurnBeforeHook extends RunHook {
  readonly hook: 'turn:before'
}

export interface TurnAfterHook extends RunHook {
  readonly hook: 'turn:after'
  /** The reply, with the results in its calls. */
  readonly message: AssistantMessage
}

interface CallHook extends RunHook {
  readonly callId: string
  readonly toolName: string
  readonly effect: 'read' | 'idempotent' | 'write'
  readonly input: JsonObject
}

export interface ToolBeforeHook extends CallHook {
  readonly hook: 'tool:before'
}

export interface ToolAroundHook extends CallHook {
  readonly hook: 'tool:around'
}

export interface ToolAfterHook extends RunHook {
  readonly hook: 'tool:after'
  readonly result: ToolResult
}

export interface StopHook extends HookBase {
  readonly hook: 'stop'
  readonly runId: string
  readonly reason: FinishReason
  readonly error?: ErrorInfo
  readonly usage: UsageTotals
}

export interface VerifyStopHook extends RunHook {
  readonly hook: 'verify:stop'
  /** The text of the last reply. */
  readonly text: string
  /** How often this run was sent back already. */
  readonly sentBack: number
}

export interface UserInputHook extends HookBase {
  readonly hook: 'transform:user-input'
  readonly inputId: string
  readonly by?: string
  /** Its texts, one after the other with line breaks between; empty where it has none. */
  readonly text: string
  readonly parts: readonly UserPart[]
}

export interface ResponseHook extends RunHook {
  readonly hook: 'transform:response'
  readonly messageId: string
  /** One text part of the reply, complete. */
  readonly text: string
}

export interface ToolOutputHook extends RunHook {
  readonly hook: 'transform:tool-output'
  readonly callId: string
  readonly toolName: string
  readonly outcome: ToolResult['outcome']
  readonly output: JsonValue
}

export type HookEvent =
  | SessionStartHook
  | SessionEndHook
  | TurnBeforeHook
  | TurnAfterHook
  | ToolBeforeHook
  | ToolAroundHook
  | ToolAfterHook
  | StopHook
  | VerifyStopHook
  | UserInputHook
  | ResponseHook
  | ToolOutputHook
