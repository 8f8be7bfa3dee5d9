import type { JsonObject, JsonValue } from './json.ts'

/** Bytes that live in the session's blob store, addressed by content. */
export interface BlobRef {
  readonly sha256: string
  readonly size: number
}

export interface TextPart {
  readonly type: 'text'
  readonly text: string
  /** Opaque data of the model that wrote the part; see `AssistantMessage.model`. */
  readonly providerState?: JsonValue
}

/** An image for the model: a blob of this session, or an address the provider fetches itself. */
export interface ImagePart {
  readonly type: 'image'
  readonly mediaType: string
  readonly blob?: BlobRef
  readonly url?: string
  readonly name?: string
  /** Why the model does not get it, where that was decided. */
  readonly omitted?: string
}

export interface FilePart {
  readonly type: 'file'
  readonly mediaType: string
  readonly name?: string
  readonly path?: string
  readonly blob?: BlobRef
  readonly url?: string
  /** The text the model gets in place of the bytes. */
  readonly text?: string
  readonly omitted?: string
}

/** Another session, attached by its id. */
export interface SessionPart {
  readonly type: 'session'
  readonly sessionId: string
  readonly title?: string
  readonly text?: string
  readonly omitted?: string
}

export type UserPart = TextPart | ImagePart | FilePart | SessionPart

export interface ReasoningPart {
  readonly type: 'reasoning'
  readonly text: string
  readonly providerState?: JsonValue
}

export interface SourcePart {
  readonly type: 'source'
  readonly sourceId: string
  readonly url?: string
  readonly title?: string
}

export type ToolOutcome = 'ok' | 'error' | 'denied' | 'aborted' | 'timeout' | 'unknown' | 'skipped'

/** A file a tool created, modified or deleted. */
export interface FileChange {
  readonly path: string
  readonly kind: 'created' | 'modified' | 'deleted'
  /** Unified diff; absent when `omitted` says why. */
  readonly diff?: string
  readonly added?: number
  readonly removed?: number
  readonly hashBefore?: string
  readonly hashAfter?: string
  readonly truncated?: true
  readonly omitted?: string
}

/** A file presented to the person; downloaded by its id, never by its path. */
export interface Artifact {
  readonly id: string
  readonly name: string
  readonly mediaType: string
  readonly size: number
  readonly sha256: string
  readonly blob?: BlobRef
  readonly title?: string
  readonly path?: string
}

export interface ResultImage {
  readonly mediaType: string
  readonly blob: BlobRef
}

/** The answer to one tool call: there is exactly one, whatever happened. */
export interface ToolResult {
  readonly callId: string
  readonly toolName: string
  readonly outcome: ToolOutcome
  /** What the model is told: text as it is, anything else as JSON. */
  readonly output: JsonValue
  readonly images?: readonly ResultImage[]
  readonly artifacts?: readonly Artifact[]
  readonly changes?: readonly FileChange[]
  /** The whole output, where `output` was truncated. */
  readonly full?: BlobRef
  /** Characters kept of a truncated output. */
  readonly truncatedTo?: number
  /** The input that ran, where an approver or a plugin changed it. */
  readonly ranWith?: JsonObject
  /** Set when the result was written by recovery rather than by the tool. */
  readonly recovery?: 'never-started' | 'outcome-unknown' | 'replayed'
  /** The stable code of what went wrong. */
  readonly code?: string
  readonly metadata?: JsonObject
  readonly durationMs: number
}

export type ToolCallState = 'streaming' | 'ready' | 'waiting' | 'done'

export interface ToolCallPart {
  readonly type: 'tool-call'
  /** Minted by the session: unique in it, whatever ids the provider uses. */
  readonly callId: string
  /** The tool's own name; empty while the model has not said it. */
  readonly toolName: string
  /** The parsed input: absent while streaming and when the text is no JSON object. */
  readonly input?: JsonObject
  /** The input as the model wrote it, while streaming and where it could not be parsed. */
  readonly inputText?: string
  /** Run by the provider itself: neither executed nor counted here. */
  readonly executed?: 'provider'
  /** What a provider's own tool returned, for people; `providerState` carries what the model needs back. */
  readonly output?: JsonValue
  /** The provider's id of the call, unique or not. */
  readonly providerCallId?: string
  readonly providerState?: JsonValue
  /** Set by the reducer. */
  readonly state: ToolCallState
  /** Set by the reducer. */
  readonly result?: ToolResult
}

export type AssistantPart = TextPart | ReasoningPart | ToolCallPart | SourcePart | FilePart

/** Which model, behind which API, wrote something. Opaque state is replayed to exactly this one. */
export interface ModelRef {
  /** The provider's id, for instance `openai` or `deepseek`. */
  readonly provider: string
  readonly model: string
  readonly api: string
}

export interface UserMessage {
  readonly role: 'user'
  /** The id of the input it came from. */
  readonly id: string
  readonly at: number
  readonly runId?: string
  readonly by?: string
  readonly placed?: 'start' | 'steer' | 'queue'
  readonly parts: readonly UserPart[]
}

export interface AssistantMessage {
  readonly role: 'assistant'
  readonly id: string
  readonly at: number
  readonly runId?: string
  readonly turn?: number
  readonly model?: ModelRef
  /** Streamed parts in the order the model produced them, then sources and files. */
  readonly parts: readonly AssistantPart[]
  /** Cut by an abort, an error or a crash. Its opaque state is never replayed. */
  readonly partial?: true
  readonly providerState?: JsonValue
}

export interface NoteMessage {
  readonly role: 'note'
  readonly id: string
  readonly at: number
  readonly runId?: string
  readonly kind: 'summary' | 'background' | 'system'
  readonly text: string
  readonly toModel: boolean
  /** A summary stands for everything before this message. */
  readonly keepFrom?: string
}

export type Message = UserMessage | AssistantMessage | NoteMessage
