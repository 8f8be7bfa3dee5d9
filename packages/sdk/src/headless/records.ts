import type { Receipt } from '../protocol/commands.ts'
import type { ErrorInfo } from '../protocol/errors.ts'
import type { AgentEvent } from '../protocol/events.ts'
import type { HEADLESS_VERSION, HeadlessResult } from './result.ts'

/** `text`: words alone. `json`: one object. `ndjson`: an object a line, as it happens. */
export type HeadlessFormat = 'text' | 'json' | 'ndjson'

/** The first record. */
export interface HeadlessStart {
  readonly type: 'start'
  readonly v: typeof HEADLESS_VERSION
  readonly sessionId: string
  readonly runId: string
}

/** What became of a line of input: the session's receipt, or why there is none. */
export interface HeadlessReceipt extends Partial<Omit<Receipt, 'status'>> {
  readonly type: 'receipt'
  /** Counted from 1, blank lines too. */
  readonly line: number
  readonly status: Receipt['status']
  readonly error?: ErrorInfo
}

/** One line of NDJSON output: `start`, the events of the run and receipts as they come, and `result` as the last. */
export type HeadlessRecord = HeadlessStart | AgentEvent | HeadlessReceipt | HeadlessResult

/** Where text goes. Waited for before more is written; rejects when nobody reads it any more. */
export type TextSink = (text: string) => void | Promise<void>

/** Writes of the records what the format shows: all of them, or only the result. */
export function recordWriter(format: HeadlessFormat, write: TextSink): (record: HeadlessRecord) => Promise<void> {
  return async (record) => {
    if (format === 'ndjson') return write(`${JSON.stringify(record)}\n`)
    if (record.type !== 'result') return
    if (format === 'json') return write(`${JSON.stringify(record)}\n`)
    if (record.text !== '') return write(record.text.endsWith('\n') ? record.text : `${record.text}\n`)
  }
}
