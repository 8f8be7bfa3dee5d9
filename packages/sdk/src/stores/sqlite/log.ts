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
  const seqs: number[] = []
  const texts: unknown[] = []
  const size = Math.min(range.left, MAX_ROWS)
  if (size <= 0) return undefined
  const backward = options.direction === 'backward'
  const statement = connection.sql(backward ? BACKWARD : FORWARD).raw()
  let characters = 0
  for (const row of statement.iterate(range.key, range.above, range.below)) {
    const [seq, json] = row as [number, unknown]
    seqs.push(seq)
    texts.push(json)
    characters += typeof json === 'string' ? json.length : 0
    if (seqs.length >= size || characters >= MAX_CHARACTERS) break
  }
  const last = seqs.at(-1)
  if (last === undefined) return undefined
  const rest = { ...range, left: range.left - seqs.length, ...(backward ? { below: last } : { above: last }) }
  return { events: decode(seqs, texts, options), rest }
}

/** Parses all rows as one array, which is faster than one by one. Only when that fails is each looked at. */
function decode(seqs: readonly number[], texts: readonly unknown[], options: ReadOptions): AgentEvent[] {
  try {
    const events = JSON.parse(`[${texts.join(',')}]`) as AgentEvent[]
    if (events.length === seqs.length && events.every((event, i) => event.seq === seqs[i])) return events
  } catch {
    // One of them is damaged.
  }
  const events: AgentEvent[] = []
  for (const [i, seq] of seqs.entries()) {
    try {
      const event = JSON.parse(String(texts[i])) as AgentEvent
      if (event?.seq !== seq) throw new Error('it is no event of this seq')
      events.push(event)
    } catch (error) {
      options.onCorrupt?.({ seq, reason: thrownText(error) })
    }
  }
  return events
}
