import { thrownText } from '../../protocol/errors.ts'
import type { AgentEvent } from '../../protocol/events.ts'
import { leaseLost } from '../errors.ts'
import { newEvents } from '../new-events.ts'
import { patchRow } from '../patch-row.ts'
import type { AppendOptions, ReadOptions } from '../store.ts'
import type { Connection } from './connection.ts'
import { judge } from './inbox.ts'
import { existingRow, findRow, sessionRow, updateRow } from './rows.ts'

/** A batch ends with the row that reaches one of these. */
const MAX_ROWS = 1_000
const MAX_CHARACTERS = 4_000_000

export function append(
  connection: Connection,
  id: string,
  events: readonly AgentEvent[],
  options: AppendOptions,
): void {
  // Before the transaction, so that other processes wait only for the writing.
  const texts = new Map(events.map((event) => [event, JSON.stringify(event)]))
  connection.write(() => {
    const stored = existingRow(connection, id)
    if (options.generation !== stored.generation) throw leaseLost(id, options.generation)
    const isStored = (seq: number) =>
      connection.sql('SELECT 1 FROM events WHERE session = ? AND seq = ?').get(stored.key, seq) !== undefined
    const fresh = newEvents(id, events, stored.head, isStored)
    if (events.length > 0 && fresh.length === 0) return
    const insert = connection.sql('INSERT INTO events VALUES (?, ?, ?)')
    for (const event of fresh) insert.run(stored.key, event.seq, texts.get(event))
    judge(connection, stored.key, options.receipts ?? [])
    const last = fresh.at(-1)
    if (options.row) updateRow(connection, stored.key, patchRow(sessionRow(stored), options.row, last))
    else if (last) {
      connection.sql('UPDATE sessions SET head = ?, updated_at = ? WHERE key = ?').run(last.seq, last.at, stored.key)
    }
  })
}

/** Where a read stands. */
export interface Range {
  readonly key: number
  readonly above: number
  readonly below: number
  readonly left: number
}

/** Ends at what is stored now, so that a reader sees whole appends. */
export function rangeOf(connection: Connection, id: string, options: ReadOptions): Range | undefined {
  const row = findRow(connection, id)
  if (!row) return undefined
  return {
    key: row.key,
    above: options.after ?? 0,
    below: Math.min(options.before ?? Number.POSITIVE_INFINITY, row.head + 1),
    left: options.limit ?? Number.POSITIVE_INFINITY,
  }
}

const FORWARD = 'SELECT seq, json FROM events WHERE session = ? AND seq > ? AND seq < ? ORDER BY seq'
const BACKWARD = `${FORWARD} DESC`

/** The next batch and the range after it, or undefined at the end. No statement stays open between batches. */
export function nextBatch(
  connection: Connection,
  range: Range,
  options: ReadOptions,
): { events: AgentEvent[]; rest: Range } | undefined {
  const size = Math.min(range.left, MAX_ROWS)
  if (size <= 0) return undefined
  const backward = options.direction === 'backward'
  const statement = connection.sql(backward ? BACKWARD : FORWARD).raw()
  const events: AgentEvent[] = []
  const damaged: { seq: number; reason: string }[] = []
  let rows = 0
  let last = 0
  let characters = 0
  for (const [seq, json] of statement.iterate(range.key, range.above, range.below) as Iterable<[number, unknown]>) {
    try {
      events.push(decode(seq, json))
    } catch (error) {
      damaged.push({ seq, reason: thrownText(error) })
    }
    last = seq
    characters += typeof json === 'string' ? json.length : 0
    if (++rows >= size || characters >= MAX_CHARACTERS) break
  }
  // The statement is closed by now: whoever hears of them may use the store.
  for (const row of damaged) options.onCorrupt?.(row)
  if (rows === 0) return undefined
  const rest = { ...range, left: range.left - rows, ...(backward ? { below: last } : { above: last }) }
  return { events, rest }
}

/** Row by row: parsing many as one array takes more than twice as long, for the sake of the text that is put together. */
function decode(seq: number, json: unknown): AgentEvent {
  const event = JSON.parse(String(json)) as AgentEvent
  if (event?.seq !== seq) throw new Error('it is no event of this seq')
  return event
}
