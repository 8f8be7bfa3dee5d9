import type { JsonObject, JsonValue } from './json.ts'

export interface QuestionOption {
  readonly label: string
  readonly description?: string
}

export interface Question {
  readonly id: string
  /** At most 12 characters, for a tab or a chip. */
  readonly header: string
  readonly question: string
  /** 2 to 4. */
  readonly options: readonly QuestionOption[]
  readonly multiple?: boolean
}

export type RequestKind = 'approval' | 'plan' | 'question' | 'client-tool'

export type ApprovalExit = 'allow-once' | 'allow-session' | 'allow-always' | 'deny'
export type PlanExit = 'approve' | 'revise' | 'reject'

/** For people: what a call would do, shown where it is asked for. */
export interface EffectDescription {
  readonly title: string
  readonly command?: string
  readonly path?: string
  readonly diff?: string
}

/** Something only a person (or the client) can answer. It holds back its own call and nothing else. */
export interface Request {
  readonly id: string
  readonly kind: RequestKind
  readonly callId?: string
  /** The session it was asked in, outermost first. */
  readonly path: readonly string[]
  readonly tool?: {
    readonly name: string
    readonly input: JsonObject
    readonly effect?: 'read' | 'idempotent' | 'write'
  }
  /** What the call would do, in its tool's words. */
  readonly description?: EffectDescription
  /** Why it is asked. */
  readonly reason?: string
  /** The decisions it takes, of an approval or a plan. */
  readonly options?: readonly (ApprovalExit | PlanExit)[]
  /** 1 to 4. */
  readonly questions?: readonly Question[]
  /** The rule that `allow-session` and `allow-always` would add. */
  readonly suggestedRule?: string
  /** Epoch ms after which it counts as unanswered. */
  readonly deadline?: number
}

/** Answers are keyed by question id: option labels, free text, or both. */
export type Answers = Readonly<Record<string, readonly string[]>>

/** The answer to a request. Which fields there are follows from the request's kind. */
export interface Resolution {
  /** Of an approval or a plan. */
  readonly decision?: ApprovalExit | PlanExit
  /** For the model: why, or what to do instead. `revise` needs one. */
  readonly note?: string
  /** Of an approval that allows: the input to run with, in place of the model's. */
  readonly editedInput?: JsonObject
  /** Of questions. */
  readonly answers?: Answers
  /** Not every question was answered. */
  readonly skipped?: boolean
  /** The result of a client tool, or why it has none. */
  readonly output?: JsonValue
  readonly error?: string
}

/** How a request came to its resolution. Everything but `answered` is the answer of nobody. */
export type ResolvedReason = 'answered' | 'deadline' | 'aborted' | 'superseded' | 'interrupted'

/** A request's one resolution. */
export interface Resolved {
  readonly resolution: Resolution
  readonly reason: ResolvedReason
  readonly by?: string
}
