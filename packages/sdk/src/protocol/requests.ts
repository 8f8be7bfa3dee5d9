import type { JsonObject } from './json.ts'

export interface QuestionOption {
  readonly label: string
  readonly description?: string
}

export interface Question {
  readonly id: string
  /** At most 12 characters, for a tab or a chip. */
  readonly header: string
  readonly question: string
  readonly options: readonly QuestionOption[]
  readonly multiple?: boolean
}

/** Something only a person (or the client) can answer. It holds back its own call and nothing else. */
export interface Request {
  readonly id: string
  readonly kind: 'approval' | 'plan' | 'question' | 'client-tool'
  readonly callId?: string
  /** The session it was asked in, outermost first. */
  readonly path: readonly string[]
  readonly tool?: { readonly name: string; readonly input: JsonObject; readonly effect?: string }
  readonly options?: readonly string[]
  readonly questions?: readonly Question[]
  readonly suggestedRule?: string
  /** Epoch ms after which it counts as unanswered. */
  readonly deadline?: number
}

/** Answers are keyed by question id: option labels, free text, or both. */
export type Answers = Readonly<Record<string, readonly string[]>>

export interface Resolution {
  readonly decision?: 'allow-once' | 'allow-session' | 'allow-always' | 'deny' | 'approve' | 'revise' | 'reject'
  readonly note?: string
  readonly answers?: Answers
  readonly skipped?: boolean
  readonly editedInput?: JsonObject
  /** The result of a client tool. */
  readonly output?: import('./json.ts').JsonValue
}
