import type { Breach, Budget } from './budget.ts'
import type { Lane } from './commands.ts'
import type { ErrorInfo } from './errors.ts'
import type { JsonObject, JsonValue } from './json.ts'
import type { AssistantMessage, Message, ModelRef, NoteMessage, ToolResult, UserMessage, UserPart } from './messages.ts'
import type { NoticeCode } from './notices.ts'
import type { OutputSchema } from './output.ts'
import type { Request, Resolution, ResolvedReason } from './requests.ts'
import type { Task } from './tasks.ts'
import type { ContextUsage, Money, Usage, UsageTotals } from './usage.ts'

/** The version of these shapes. A writer that meets a newer one refuses (`protocol.too-new`). */
export const PROTOCOL_VERSION = 1

export interface EventBase {
  /** The event's place in the session: strictly growing, with gaps. */
  readonly seq: number
  /** Epoch ms, for people: order comes from `seq` alone. */
  readonly at: number
  /** The run it belongs to. */
  readonly runId?: string
  /** Who asked, when a command caused it. */
  readonly by?: string
}

export type FinishReason =
  | 'stop'
  | 'max-turns'
  | 'stalled'
  | 'looping'
  | 'aborted'
  | 'content-filter'
  | 'compliance'
  | 'length'
  | 'blank'
  | 'budget-exceeded'
  | 'interrupted'
  | 'error'

export interface SessionDetails {
  readonly title?: string
  readonly parent?: string
  readonly profile?: string
  readonly principal?: string
  readonly tenant?: string
  readonly metadata?: JsonObject
}

export interface SessionCreatedEvent extends EventBase, SessionDetails {
  readonly type: 'session-created'
  readonly v: number
}

/** A patch: `null` removes a field. */
export interface SessionUpdatedEvent extends EventBase {
  readonly type: 'session-updated'
  readonly title?: string | null
  readonly profile?: string | null
  readonly metadata?: JsonObject | null
  readonly archived?: boolean
}

/** Accepted: from here the input is absorbed, queued or returned, never lost. `start` is absorbed in the same append. */
export interface InputEvent extends EventBase {
  readonly type: 'input'
  readonly inputId: string
  readonly parts: readonly UserPart[]
  readonly lane: 'start' | Lane
}

export interface InputChangedEvent extends EventBase {
  readonly type: 'input-changed'
  readonly inputId: string
  readonly parts?: readonly UserPart[]
  readonly lane?: Lane
}

export interface InputReturnedEvent extends EventBase {
  readonly type: 'input-returned'
  readonly inputId: string
  readonly reason: 'aborted' | 'removed'
}

/** From here the run is stopping: no effect starts, and recovery ends it as `aborted`. */
export interface AbortEvent extends EventBase {
  readonly type: 'abort'
  readonly runId: string
}

/** Messages from a fork or an import, results inside; at most 500 an event. */
export interface HistoryEvent extends EventBase {
  readonly type: 'history'
  readonly messages: readonly Message[]
}

export interface RunConfig {
  readonly agent?: string
  readonly agentVersion?: string
  readonly instructionsHash?: string
  /** Present the first time a session meets these instructions. */
  readonly instructions?: string
  /** Hash of name, description and input schema, by tool name. */
  readonly tools?: Readonly<Record<string, string>>
  readonly model?: ModelRef
  readonly settings?: JsonObject
  readonly maxTurns?: number
  /** Nobody is there to be asked. */
  readonly unattended?: true
  /** Model calls after the last turn, without tools, to sum up. */
  readonly graceTurns?: number
  /** The reply has to be JSON of this schema. */
  readonly output?: OutputSchema
  /** Budgets of this run alone. */
  readonly limits?: readonly Budget[]
  readonly metadata?: JsonObject
}

export interface RunStartEvent extends EventBase {
  readonly type: 'run-start'
  readonly runId: string
  readonly trigger: 'input' | 'continue' | 'schedule' | 'subagent' | 'wake'
  readonly inputIds: readonly string[]
  readonly config: RunConfig
}

/** Stored before the request leaves. A higher attempt empties the pending message and keeps its id. */
export interface TurnStartEvent extends EventBase {
  readonly type: 'turn-start'
  readonly runId: string
  readonly turn: number
  readonly attempt: number
  readonly messageId: string
  readonly purpose: 'reply' | 'compaction' | 'grace'
  readonly model: ModelRef
  readonly estimatedTokens?: number
  readonly context?: ContextUsage
}

/**
 * Text gained by one part of the pending message. `from` is its UTF-16 offset in that part, so a reader drops what it
 * has and never applies past a gap. An empty `text` at 0 opens a part.
 */
export interface TextDeltaEvent extends EventBase {
  readonly type: 'text-delta'
  readonly part: number
  readonly from: number
  readonly text: string
}

export interface ReasoningDeltaEvent extends EventBase {
  readonly type: 'reasoning-delta'
  readonly part: number
  readonly from: number
  readonly text: string
}

export interface ToolInputDeltaEvent extends EventBase {
  readonly type: 'tool-input-delta'
  readonly part: number
  readonly from: number
  readonly text: string
  readonly callId: string
  /** From the first delta that knows it. */
  readonly toolName?: string
  readonly executed?: 'provider'
}

export type DeltaEvent = TextDeltaEvent | ReasoningDeltaEvent | ToolInputDeltaEvent

/** A whole message. For a user message it is the receipt that the next model request contains it. */
export interface MessageEvent extends EventBase {
  readonly type: 'message'
  readonly message: UserMessage | AssistantMessage | NoteMessage
}

/** What one attempt cost: exactly one per `turn-start`, failed and aborted attempts included. */
export interface UsageEvent extends EventBase {
  readonly type: 'usage'
  readonly runId: string
  readonly call: Usage
  readonly run: UsageTotals
  /** The session's sum, children included. */
  readonly total: UsageTotals
  /** The model that answered. */
  readonly model: string
  readonly requestedModel: string
  readonly stop: StopReason
  readonly context?: ContextUsage
  readonly budgetRemaining?: { readonly tokens?: number; readonly cost?: Money }
}

/** Why one model call ended, in our words. `error` and `aborted` are ours, the rest the provider's. */
export type StopReason = 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'pause' | 'unknown' | 'error' | 'aborted'

export interface ToolCallEvent extends EventBase {
  readonly type: 'tool-call'
  readonly callId: string
  readonly toolName: string
  readonly input: JsonObject
}

/** Live when the effect is `read`, durable otherwise: it tells "never started" from "outcome unknown". */
export interface ToolStartEvent extends EventBase {
  readonly type: 'tool-start'
  readonly callId: string
  readonly toolName: string
  readonly effect: 'read' | 'idempotent' | 'write'
  readonly childId?: string
}

export interface ToolProgress {
  /** Done so far, in `unit`s. */
  readonly done?: number
  /** Absent when unknown. */
  readonly total?: number
  readonly unit?: string
  readonly label?: string
}

/** A plugin put another input in place of the model's, before the call was judged. It fits the tool. */
export interface ToolInputChangedEvent extends EventBase {
  readonly type: 'tool-input-changed'
  readonly callId: string
  readonly toolName: string
  readonly input: JsonObject
  /** The name of the plugin. */
  readonly plugin: string
}

export interface ToolOutputEvent extends EventBase {
  readonly type: 'tool-output'
  readonly callId: string
  /** Text for people, to be appended. */
  readonly text: string
  readonly progress?: ToolProgress
}

export interface ToolResultEvent extends EventBase {
  readonly type: 'tool-result'
  readonly result: ToolResult
}

export interface RequestEvent extends EventBase {
  readonly type: 'request'
  readonly request: Request
}

export interface RequestResolvedEvent extends EventBase {
  readonly type: 'request-resolved'
  readonly requestId: string
  readonly resolution: Resolution
  readonly reason: ResolvedReason
}

export interface CompactionEvent extends EventBase {
  readonly type: 'compaction'
  readonly trigger: 'threshold' | 'overflow' | 'manual'
  readonly method: 'summary' | 'snip'
  readonly degraded?: string
  readonly before: number
  readonly after: number
  readonly note: NoteMessage
}

/** For people; never in a message, never sent to the model. The codes are stable. */
export interface NoticeEvent extends EventBase {
  readonly type: 'notice'
  /** A later version may have further ones. */
  readonly code: NoticeCode | (string & {})
  readonly text: string
  readonly details?: JsonObject
}

export interface TaskEvent extends EventBase {
  readonly type: 'task'
  readonly task: Task
  /** Progress is live; a change of state is durable. */
  readonly live?: true
}

/** History after the message leaves the session's head. Nothing is deleted. */
export interface RewoundEvent extends EventBase {
  readonly type: 'rewound'
  /** Absent: to the beginning. */
  readonly toMessageId?: string
}

/** What keeps a run busy beside the model and its tools. */
export type Activity =
  /** The attempt that will be made, and when (epoch ms). */
  | {
      readonly kind: 'retrying'
      readonly attempt: number
      readonly delayMs: number
      readonly until: number
      readonly error: ErrorInfo
    }
  | { readonly kind: 'compacting' | 'probing' }

export interface ActivityEvent extends EventBase {
  readonly type: 'activity'
  /** Absent: it is over. */
  readonly activity?: Activity
}

export interface Finish {
  readonly reason: FinishReason
  readonly error?: ErrorInfo
  readonly breach?: Breach
  /** What the reply holds, of a run with an `output` schema that ended with `stop`. */
  readonly output?: JsonValue
  readonly usage: { readonly run: UsageTotals; readonly total: UsageTotals }
  readonly model?: string
  readonly requestedModel?: string
}

export interface FinishEvent extends EventBase, Finish {
  readonly type: 'finish'
  readonly runId: string
}

export type AgentEvent =
  | SessionCreatedEvent
  | SessionUpdatedEvent
  | InputEvent
  | InputChangedEvent
  | InputReturnedEvent
  | AbortEvent
  | HistoryEvent
  | RunStartEvent
  | TurnStartEvent
  | DeltaEvent
  | MessageEvent
  | UsageEvent
  | ToolCallEvent
  | ToolInputChangedEvent
  | ToolStartEvent
  | ToolOutputEvent
  | ToolResultEvent
  | RequestEvent
  | RequestResolvedEvent
  | CompactionEvent
  | NoticeEvent
  | TaskEvent
  | RewoundEvent
  | ActivityEvent
  | FinishEvent

export type AgentEventType = AgentEvent['type']

/** An event before the sequencer gave it its place. */
export type EventDraft = AgentEvent extends infer E ? (E extends AgentEvent ? Omit<E, 'seq' | 'at'> : never) : never

/** What travels together. `prev` is the last seq published before: a reader below it has a hole. */
export interface EventBatch {
  readonly prev: number
  /** The seq a reader is at after applying it. */
  readonly head: number
  readonly events: readonly AgentEvent[]
  /** The owner could not store what followed: nothing more comes from it. */
  readonly fault?: ErrorInfo
}

export function isDelta<E extends { readonly type: AgentEventType }>(event: E): event is E & DeltaEvent {
  return event.type === 'text-delta' || event.type === 'reasoning-delta' || event.type === 'tool-input-delta'
}

/** Whether the event must be stored before anyone sees it. Deltas are live, and stored merged. */
export function isDurable(event: EventDraft | AgentEvent): boolean {
  if (isDelta(event)) return false
  switch (event.type) {
    case 'tool-call':
    case 'tool-output':
    case 'activity':
      return false
    case 'tool-start':
      return event.effect !== 'read'
    case 'task':
      return event.live !== true
    default:
      return true
  }
}
