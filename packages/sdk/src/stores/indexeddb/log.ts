import { thrownText } from '../../protocol/errors.ts'
import type { AgentEvent } from '../../protocol/events.ts'
import { leaseLost } from '../errors.ts'
import { frozenCopy } from '../frozen-copy.ts'
import { newEvents } from '../new-events.ts'
import { patchRow } from '../patch-row.ts'
import type { AppendOptions, ReadOptions } from '../store.ts'
import type { Connection, Reading } from './connection.ts'
import { judge } from './inbox.ts'
import { existingSession, type FoundSession, findSession } from './rows.ts'
import type { Schema } from './schema.ts'

/** Events read at once. */
const BATCH = 500

type StoredEvent = Schema['events']['value']

export function append(
  connection: Connection,
  id: string,
  events: readonly AgentEvent[],
  { generation, receipts = [], row }: AppendOptions,
): Promise<void> {
  const texts = new Map(events.map((event) => [event.seq, JSON.stringify(event)]))
  return connection.write(async (transaction) => {
    const stored = await existingSession(transaction, id)
    const { key, lease } = stored
    if (generation !== stored.generation) throw leaseLost(id, generation)
    const known = await storedSeqs(transaction, stored, events)
    const fresh = newEvents(id, events, stored.row.head, (seq) => known.has(seq))
    if (events.length > 0 && fresh.length === 0) return
    const log = transaction.objectStore('events')
    const patched = frozenCopy(patchRow(stored.row, row, fresh.at(-1)))
    await Promise.all([
      ...fresh.map(({ seq }) => log.add({ session: key, seq, json: texts.get(seq) ?? '' })),
      judge(transaction, key, receipts),
      transaction.objectStore('sessions').put({ row: patched, generation, ...(lease && { lease }) }, key),
    ])
  })
}

/** Those of the events that may be a repetition, up to the head: mostly there are none, and nothing is read. */
async function storedSeqs(
  transaction: Reading,
  { key, row }: FoundSession,
  events: readonly AgentEvent[],
): Promise<ReadonlySet<number>> {
  const lowest = Math.min(...events.map(({ seq }) => seq))
  if (lowest > row.head) return new Set()
  const keys = await transaction.objectStore('events').getAllKeys(IDBKeyRange.bound([key, lowest], [key, row.head]))
  return new Set(keys.map(([, seq]) => seq))
}

/** Where a read stands: both ends are still to be read. */
export interface Range {
  readonly key: number
  readonly from: number
  readonly to: number
  readonly left: number
}

/** Ends at what is stored now, so that a reader sees whole appends. */
export async function rangeOf(connection: Connection, id: string, options: ReadOptions): Promise<Range | undefined> {
  const session = await connection.read((transaction) => findSession(transaction, id))
  return (
    session && {
      key: session.key,
      from: (options.after ?? 0) + 1,
      to: Math.min((options.before ?? Number.POSITIVE_INFINITY) - 1, session.row.head),
      left: options.limit ?? Number.POSITIVE_INFINITY,
    }
  )
}

/** The next batch and the range after it, or undefined at the end. No transaction stays open between batches. */
export async function nextBatch(
  connection: Connection,
  range: Range,
  options: ReadOptions,
): Promise<{ events: AgentEvent[]; rest: Range } | undefined> {
  const size = Math.min(range.left, BATCH)
  if (size <= 0 || range.from > range.to) return undefined
  const isBackward = options.direction === 'backward'
  const stored = await connection.read((transaction) =>
    (isBackward ? lastEvents : firstEvents)(transaction, range, size),
  )
  const last = stored.at(-1)
  if (!last) return undefined
  const events: AgentEvent[] = []
  for (const { seq, json } of stored) {
    try {
      events.push(decode(seq, json))
    } catch (error) {
      options.onCorrupt?.({ seq, reason: thrownText(error) })
    }
  }
  const rest = isBackward ? { to: last.seq - 1 } : { from: last.seq + 1 }
  return { events, rest: { ...range, ...rest, left: range.left - stored.length } }
}

function keysIn({ key, from, to }: Range): IDBKeyRange {
  return IDBKeyRange.bound([key, from], [key, to])
}

function firstEvents(transaction: Reading, range: Range, size: number): Promise<StoredEvent[]> {
  return transaction.objectStore('events').getAll(keysIn(range), size)
}

/** By a cursor: not every browser reads many backward at once. */
async function lastEvents(transaction: Reading, range: Range, size: number): Promise<StoredEvent[]> {
  const events: StoredEvent[] = []
  let cursor = await transaction.objectStore('events').openCursor(keysIn(range), 'prev')
  while (cursor) {
    events.push(cursor.value)
    cursor = events.length < size ? await cursor.continue() : null
  }
  return events
}

function decode(seq: number, json: string): AgentEvent {
  const event = JSON.parse(json) as AgentEvent
  if (event?.seq !== seq) throw new Error('it is no event of this seq')
  return event
}
