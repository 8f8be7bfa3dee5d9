import type { Lane, Receipt, RunSettings, SessionPatch } from './commands.ts'
import type { ErrorInfo } from './errors.ts'
import type { AgentEvent, EventBatch, FinishReason, SessionDetails } from './events.ts'
import type { JsonObject, JsonValue } from './json.ts'
import type { UserPart } from './messages.ts'
import type { Resolution } from './requests.ts'
import type { SessionState } from './state.ts'
import type { UsageTotals } from './usage.ts'

/** Bytes on their way in: they become a blob of the session before the input is accepted. */
export interface BytesPart {
  readonly type: 'image' | 'file'
  readonly mediaType: string
  readonly bytes: Uint8Array
  readonly name?: string
}

/** What a person says: text, or parts. */
export type InputContent = string | readonly (UserPart | BytesPart)[]

/** A JSON Schema, or a zod 4, zod/mini or other Standard Schema, whose root is an object. */
export type SchemaSource = JsonObject | { readonly '~standard': { readonly version: 1; readonly vendor: string } }

export interface RunOptions extends Omit<RunSettings, 'output'> {
  /** The reply has to be JSON that fits. It is checked as JSON Schema: refinements and transforms are the caller's. */
  readonly output?: SchemaSource
  /** Aborting it aborts the run. */
  readonly signal?: AbortSignal
  /** Who asks. */
  readonly by?: string
  /** The command's id, for a caller that may repeat itself: the same id starts one run. */
  readonly commandId?: string
}

export interface SendOptions {
  /** While a run is open: into its next model request, or after it. Default `steer`. */
  readonly mode?: Lane
  /** While requests are open: nobody answers them any more, and the model reads this next, whatever the mode. Default false. */
  readonly supersede?: boolean
  readonly by?: string
  readonly commandId?: string
}

export interface CommandOptions {
  readonly by?: string
  /** For a caller that may repeat itself: the same id is carried out once. */
  readonly commandId?: string
}

/** A decision alone, or the whole answer. */
export type Answer = NonNullable<Resolution['decision']> | Resolution

/** To an input that still waits. */
export interface InputChange {
  /** In place of what it said. */
  readonly input?: InputContent
  /** `steer`: into the open run's next model request, or starts a run where none is open. `queue`: after it. */
  readonly lane?: Lane
  /** Takes it back. */
  readonly remove?: boolean
}

/** What became of an input. */
export type SettledInput =
  | { readonly inputId: string; readonly status: 'absorbed'; readonly runId: string }
  | { readonly inputId: string; readonly status: 'returned' }

export interface ForkOptions extends SessionDetails {
  readonly id?: string
  /** The last message the fork has. Default: all of them. */
  readonly toMessageId?: string
}

export interface RunResult {
  readonly runId: string
  readonly reason: FinishReason
  /** The last reply's text. */
  readonly text: string
  readonly usage: { readonly run: UsageTotals; readonly total: UsageTotals }
  readonly error?: ErrorInfo
  /** What the reply holds, of a run with an `output` schema that ended with `stop`. */
  readonly output?: JsonValue
  /** False when the end could not be stored: the next owner of the session writes it. */
  readonly recorded: boolean
}

/**
 * One run, as its events and as its result. It goes on whether or not anyone reads: leaving a `for await` detaches, and
 * every `for await` begins at the run's first event.
 */
export interface Run {
  /** Known at once. Only a `continue()` that takes an input from the queue gets that input's run id when it starts. */
  readonly id: string
  /** Never rejects. A run that was refused ends with `reason: 'error'` and the refusal's code. */
  readonly result: Promise<RunResult>
  /** The reply's text. Rejects unless the run ended with `stop`. */
  text(): Promise<string>
  /** Its events from the first, those to come included. */
  [Symbol.asyncIterator](): EventReader
}

/** Its `return()` may be called at any time: what waits for an event then ends. */
export interface EventReader extends AsyncIterableIterator<AgentEvent> {
  return(): Promise<IteratorResult<AgentEvent>>
}

/** A session, wherever it lives: the same interface for one in this process and one behind a server. */
export interface AgentSession {
  readonly id: string
  /** Resolves when `state` is the session's; rejects with why it cannot be opened. */
  readonly ready: Promise<void>
  /** What is known now. */
  readonly state: SessionState
  /** Called after every batch, with the state that follows from it. Returns the removal. */
  subscribe(listener: (state: SessionState, batch: EventBatch) => void): () => void
  /** Events above `after` (default: from the beginning), then those to come. It does not end between runs. */
  events(options?: { readonly after?: number; readonly signal?: AbortSignal }): AsyncIterable<AgentEvent>
  /** Starts a run at once, or ends as refused with `session.busy`. */
  run(input: InputContent, options?: RunOptions): Run
  /** Starts a run when none is open; otherwise joins the open one or waits for its end. */
  send(input: InputContent, options?: SendOptions): Promise<Receipt>
  /** Any run of the session, past or open. */
  follow(runId: string): Run
  /** Stops the open run. With an id only that run: a late abort is refused and hits no other. */
  abort(runId?: string, options?: CommandOptions): Promise<Receipt>
  /** A run on the history as it is: after an interruption, a limit or an error. */
  continue(options?: RunOptions): Run
  /**
   * Answers a request: the first answer wins. Refused with `request.already-resolved`, `request.unknown`, or
   * `request.invalid-answer`, and then changes nothing.
   */
  resolve(requestId: string, answer: Answer, options?: CommandOptions): Promise<Receipt>
  /** Edits, moves or removes an input that still waits. Refused with `input.unknown` when none does. */
  changeInput(inputId: string, change: InputChange, options?: CommandOptions): Promise<Receipt>
  /** Resolves when the input was absorbed by a run or returned. Rejects with `input.unknown`. */
  settled(inputId: string): Promise<SettledInput>
  /**
   * Makes this message the last of the history, or none. Nothing is deleted from the log. Regenerate: rewind to before
   * the reply, then `continue()`. Edit and resend: rewind to before the message, then `run()`.
   * Refused with `session.busy` while a run is open, and with `session.unknown-message`.
   */
  rewind(toMessageId?: string, options?: CommandOptions): Promise<Receipt>
  /** A new session with this history. Rejects with `session.busy` when it would take messages of the open run. */
  fork(options?: ForkOptions): Promise<AgentSession>
  update(patch: SessionPatch, options?: CommandOptions): Promise<Receipt>
  /** Releases what this handle holds. The session and its run go on. */
  close(): Promise<void>
}
