import type { ToolProgress } from '../protocol/events.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { Artifact, BlobRef, FileChange, Message } from '../protocol/messages.ts'
import type { Operation } from '../protocol/permissions.ts'
import type { Answers, EffectDescription, Question, RequestKind } from '../protocol/requests.ts'

/**
 * What running the tool again would do, and so what recovery may do with a call whose outcome is unknown:
 * `read` changes nothing (runs again, and may start while the model is still talking); `idempotent` does the same when
 * repeated with the same key (runs again); `write` changes something (never runs twice: the model is told).
 */
export type ToolEffect = 'read' | 'idempotent' | 'write'

export interface ToolContext {
  /** What `createAgent({ context })` returned for this run. */
  readonly context: unknown
  /** Aborted when the run is stopped or the tool's time is over. */
  readonly signal: AbortSignal
  /** `runId:callId`: the same whenever this call is run again. */
  readonly idempotencyKey: string
  readonly sessionId: string
  readonly runId: string
  readonly callId: string
  readonly turn: number
  readonly history: readonly Message[]
  /** Text and progress for people, live. The model never sees it. */
  output(chunk: string, progress?: ToolProgress): void
  /** Declares a file that was created, modified or deleted; it comes with the result. */
  fileChange(change: FileChange): void
  /** Presents a file to the person; it comes with the result. */
  present(file: PresentedFile): Promise<Artifact>
  readonly blobs: {
    put(bytes: Uint8Array, mediaType?: string): Promise<BlobRef>
    get(sha256: string): Promise<Uint8Array | undefined>
  }
  /** Asks the person; the run stays awake. A call that runs again gets the answers it had, in the order it asks. */
  ask(questions: readonly Question[]): Promise<{ readonly answers: Answers; readonly skipped: boolean }>
  log(message: string, details?: JsonObject): void
}

export interface PresentedFile {
  readonly name: string
  readonly mediaType: string
  readonly bytes: Uint8Array
  readonly title?: string
}

/**
 * A tool as the agent holds it; made by `defineTool`.
 *
 * `execute` may return anything, or an async iterable whose yields are live output and whose return value is the result.
 * It should honour `ctx.signal`. Whatever it throws or returns becomes a result that the model can read.
 */
export interface Tool<Input = unknown, Output = unknown, Name extends string = string> {
  readonly name: Name
  readonly description: string
  readonly input: ToolInputSchema<Input>
  readonly effect: ToolEffect
  /** Whether it may run beside its neighbours. Default: true for `read`, false otherwise. */
  readonly parallel: boolean
  /** When the run is stopped: `cancel` abandons a tool that does not answer at once, `wait` gives it 10 s. */
  readonly onAbort: 'cancel' | 'wait'
  /** 0: no limit. */
  readonly timeoutMs: number
  readonly maxResultChars: number
  enabled?(ctx: { readonly context: unknown; readonly history: readonly Message[] }): boolean
  /** For people, where the call is asked for: what it would do. */
  describeEffect?(input: Input): EffectDescription | Promise<EffectDescription>
  /** Everything the call would do, for the permission policy: for every input, or left out. */
  operations?(input: Input): readonly Operation[] | Promise<readonly Operation[]>
  /** Whether a person has to approve the call. A permission policy is told, and has the last word. */
  needsApproval?(input: Input): boolean | Promise<boolean>
  /** How a tool without `execute` is asked for. Default `client-tool`. */
  readonly request?: Exclude<RequestKind, 'approval'>
  /** Absent: a request, whose answer is the result. */
  execute?(input: Input, ctx: ToolContext): Output | Promise<Output> | AsyncIterable<unknown, Output>
}

/** An input schema, ready for use: what the model is told, and the check of what it sends. */
export interface ToolInputSchema<Input> {
  /** Its JSON Schema; the root is an object. Computed once. */
  jsonSchema(): Promise<JsonObject>
  /** Validates with the original schema. */
  validate(input: unknown): Promise<Checked<Input>>
}

type Checked<Input> =
  | { readonly ok: true; readonly value: Input }
  | { readonly ok: false; readonly issues: readonly InputIssue[] }

export interface InputIssue {
  /** Where, for instance `when.minutes`; empty for the root. */
  readonly path: string
  readonly message: string
}
