import { type ErrorInfo, errorInfo } from '../protocol/errors.ts'
import type { FinishReason } from '../protocol/events.ts'
import type { JsonValue } from '../protocol/json.ts'
import type { RunResult } from '../protocol/session.ts'
import type { UsageTotals } from '../protocol/usage.ts'

/** The version of everything a headless run reads and writes. */
export const HEADLESS_VERSION = 1

/** As any run ends, or `invalid`: it could not begin as it was asked for. */
export type HeadlessReason = FinishReason | 'invalid'

/** The exit code of a process, for each way a headless run can end. */
export const EXIT_CODES: Readonly<Record<HeadlessReason, number>> = {
  stop: 0,
  error: 1,
  invalid: 2,
  'max-turns': 3,
  length: 4,
  'content-filter': 5,
  compliance: 6,
  blank: 7,
  stalled: 8,
  looping: 9,
  'budget-exceeded': 10,
  interrupted: 11,
  aborted: 130,
}

/** What a headless run comes to: the one object it always ends with. */
export interface HeadlessResult {
  readonly type: 'result'
  readonly v: typeof HEADLESS_VERSION
  readonly reason: HeadlessReason
  readonly exitCode: number
  /** Absent where no session was opened. */
  readonly sessionId?: string
  /** Absent where no run was asked for. */
  readonly runId?: string
  /** The last reply's text. */
  readonly text: string
  /** What the reply holds, of a run with an `output` schema that ended with `stop`. */
  readonly output?: JsonValue
  readonly usage?: { readonly run: UsageTotals; readonly total: UsageTotals }
  readonly error?: ErrorInfo
  /** False when the session's log has no end of such a run: it never began, or its end could not be stored. */
  readonly recorded: boolean
}

/** What a run came to. */
export function resultOf(sessionId: string, { reason: ended, ...result }: RunResult): HeadlessResult {
  const reason = isInvalid(result.error) && !result.recorded ? 'invalid' : ended
  return { ...ending(reason), sessionId, ...result }
}

/** What a run comes to that could not even be asked for. */
export function failed(thrown: unknown): HeadlessResult {
  const error = errorInfo(thrown)
  const other = error.code === 'session.aborted' ? 'aborted' : 'error'
  return { ...ending(isInvalid(error) ? 'invalid' : other), text: '', error, recorded: false }
}

function ending(reason: HeadlessReason) {
  return { type: 'result', v: HEADLESS_VERSION, reason, exitCode: EXIT_CODES[reason] } as const
}

/** Whoever asked has to ask differently. */
function isInvalid(error: ErrorInfo | undefined): boolean {
  return error !== undefined && /^(config|input)\./.test(error.code)
}
