import type { Lane } from './commands.ts'
import type { ErrorInfo } from './errors.ts'
import type {
  Activity,
  Finish,
  NoticeEvent,
  RunStartEvent,
  SessionDetails,
  StopReason,
  ToolProgress,
} from './events.ts'
import type { JsonObject } from './json.ts'
import type { Artifact, AssistantMessage, Message, UserPart } from './messages.ts'
import type { Request, Resolved } from './requests.ts'
import type { Task } from './tasks.ts'
import { type ContextUsage, type Money, NO_USAGE, type UsageTotals } from './usage.ts'

export type SessionStatus = 'idle' | 'running' | 'waiting' | 'stopping'

export interface Input {
  readonly id: string
  readonly parts: readonly UserPart[]
  readonly lane: Lane
  readonly at: number
  readonly by?: string
}

/** A call of a committed message that has no result yet. */
export interface PendingCall {
  readonly callId: string
  readonly toolName: string
  readonly messageId: string
  /** Its index in the message. */
  readonly part: number
  readonly input?: JsonObject
  /** What a plugin put in its place. */
  readonly changedInput?: JsonObject
  /** A request on it that is open. */
  readonly requestId?: string
  /** The answers it got so far, by request id. */
  readonly resolved?: Readonly<Record<string, Resolved>>
  /** A start that was stored, and its effect: after a crash its outcome is unknown. */
  readonly started?: 'idempotent' | 'write'
}

/** The open run. */
export interface OpenRun {
  readonly id: string
  /** Of its `run-start`. The `input` that asked for it, where one did, is right before that. */
  readonly seq: number
  readonly startedAt: number
  readonly trigger: RunStartEvent['trigger']
  /** Who asked for it. */
  readonly by?: string
  readonly config: RunStartEvent['config']
  /** 0 before the first turn. */
  readonly turn: number
  readonly attempt: number
  /** A model call whose usage is not in the log yet. */
  readonly openCall?: { readonly model: string; readonly estimatedTokens?: number; readonly compaction?: true }
  /** How the turn's reply ended, once it is whole: with this a new owner knows what was due after it. */
  readonly replyStop?: StopReason
  /** An abort was sequenced. */
  readonly stopping?: true
}

export interface LiveCall {
  readonly toolName: string
  readonly input?: JsonObject
  readonly running: boolean
  /** The tail of what it printed, for people. */
  readonly output: string
  readonly progress?: ToolProgress
}

export interface SessionState {
  readonly id: string
  /** The seq of the last event folded. */
  readonly seq: number
  readonly status: SessionStatus
  readonly row: SessionDetails & { readonly v: number; readonly createdAt: number; readonly archived?: boolean }
  readonly history: readonly Message[]
  readonly run?: OpenRun
  readonly pending: {
    /** The reply being streamed. */
    readonly message?: AssistantMessage
    readonly calls: Readonly<Record<string, PendingCall>>
    readonly lanes: { readonly steer: readonly Input[]; readonly queue: readonly Input[]; readonly paused: boolean }
    readonly requests: readonly Request[]
  }
  readonly usage: {
    /** The open run's, or the last one's. */
    readonly run: UsageTotals
    /** The session's, children included. */
    readonly total: UsageTotals
    /** The session's own calls. */
    readonly own: UsageTotals
    readonly byModel: Readonly<Record<string, UsageTotals>>
    readonly context?: ContextUsage
    readonly budgetRemaining?: { readonly tokens?: number; readonly cost?: Money }
  }
  readonly tasks: Readonly<Record<string, Task>>
  readonly deliverables: readonly Artifact[]
  /** The last 100. */
  readonly notices: readonly NoticeEvent[]
  /** Hashes of instructions the log already holds. */
  readonly instructions: readonly string[]
  readonly lastFinish?: Finish & { readonly runId: string; readonly at: number }
  /** For people, while it happens: emptied by `finish`, and no part of what a replay must reproduce. */
  readonly live: {
    readonly calls: Readonly<Record<string, LiveCall>>
    readonly tasks: Readonly<Record<string, Task>>
    readonly activity?: Activity
    readonly fault?: ErrorInfo
  }
}

/** A state under construction: its own object, everything below still shared with the state before. */
export type Draft = { -readonly [K in keyof SessionState]: SessionState[K] }

/** Raised whenever `reduce` gives other states for the same events: older snapshots are then thrown away. */
export const REDUCER_VERSION = 2

export function initialState(id: string): SessionState {
  return {
    id,
    seq: 0,
    status: 'idle',
    row: { v: 0, createdAt: 0 },
    history: [],
    pending: { calls: {}, lanes: { steer: [], queue: [], paused: false }, requests: [] },
    usage: { run: NO_USAGE, total: NO_USAGE, own: NO_USAGE, byModel: {} },
    tasks: {},
    deliverables: [],
    notices: [],
    instructions: [],
    live: { calls: {}, tasks: {} },
  }
}
