import type { HistoryEvent, SessionCreatedEvent } from '../../protocol/events.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { parsed } from '../../protocol/parsed.ts'
import { sessionNotFound, sessionTaken } from '../errors.ts'
import { cursorAt, pageSize, positionOf, searchable } from '../rows.ts'
import type { Page, SessionQuery, SessionRow } from '../store.ts'
import type { Connection } from './connection.ts'
import { TABLES_OF_A_SESSION } from './schema.ts'

/** A row of `sessions`. Columns named like the field of `SessionRow` hold it as it is. */
export interface StoredRow {
  readonly key: number
  readonly id: string
  readonly title: string | null
  readonly principal: string | null
  readonly tenant: string | null
  readonly profile: string | null
  readonly parent: string | null
  readonly metadata: string | null
  readonly archived: number | null
  readonly created_at: number
  readonly updated_at: number
  readonly head: number
  readonly open_run: string | null
  readonly parked: number | null
  readonly wake_at: number | null
  readonly generation: number
  readonly owner: string | null
  readonly lease_expires: number | null
}

const COLUMNS = [
  ...['id', 'title', 'search', 'principal', 'tenant', 'profile', 'parent', 'metadata', 'archived'],
  ...['created_at', 'updated_at', 'head', 'open_run', 'parked', 'wake_at'],
]
const INSERT = `INSERT INTO sessions (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')})`
const UPDATE = `UPDATE sessions SET ${COLUMNS.map((column) => `${column} = ?`).join(', ')} WHERE key = ?`

export function findRow(connection: Connection, id: string): StoredRow | undefined {
  return connection.sql('SELECT * FROM sessions WHERE id = ?').get(id) as StoredRow | undefined
}

export function existingRow(connection: Connection, id: string): StoredRow {
  const row = findRow(connection, id)
  if (!row) throw sessionNotFound(id)
  return row
}

export function insertRow(
  connection: Connection,
  row: Omit<SessionRow, 'head' | 'updatedAt'>,
  events: readonly [SessionCreatedEvent, ...HistoryEvent[]],
): void {
  const head = events.at(-1)?.seq ?? events[0].seq
  const values = valuesOf({ ...row, head, updatedAt: events[0].at })
  const written = events.map((event) => [event.seq, JSON.stringify(event)] as const)
  connection.write(() => {
    if (findRow(connection, row.id)) throw sessionTaken(row.id)
    const { lastInsertRowid } = connection.sql(INSERT).run(...values)
    const insert = connection.sql('INSERT INTO events VALUES (?, ?, ?)')
    for (const [seq, event] of written) insert.run(lastInsertRowid, seq, event)
  })
}

export function updateRow(connection: Connection, key: number, row: SessionRow): void {
  connection.sql(UPDATE).run(...valuesOf(row), key)
}

export function deleteRow(connection: Connection, id: string): void {
  connection.write(() => {
    const row = findRow(connection, id)
    if (!row) return
    for (const table of TABLES_OF_A_SESSION) connection.sql(`DELETE FROM ${table} WHERE session = ?`).run(row.key)
    connection.sql('DELETE FROM sessions WHERE key = ?').run(row.key)
  })
}

export function listRows(connection: Connection, query: SessionQuery): Page<SessionRow> {
  const size = pageSize(query)
  const conditions = ['coalesce(archived, 0) = ?']
  const values: unknown[] = [query.archived ? 1 : 0]
  for (const column of ['principal', 'tenant', 'parent'] as const) {
    if (query[column] === undefined) continue
    conditions.push(`${column} = ?`)
    values.push(query[column])
  }
  if (query.search !== undefined) {
    conditions.push('instr(search, ?) > 0')
    values.push(searchable(query.search))
  }
  if (query.cursor !== undefined) {
    const { updatedAt, id } = positionOf(query.cursor)
    conditions.push('updated_at <= ? AND (updated_at < ? OR id > ?)')
    values.push(updatedAt, updatedAt, id)
  }
  const text = `SELECT * FROM sessions WHERE ${conditions.join(' AND ')} ORDER BY updated_at DESC, id LIMIT ?`
  const rows = connection.sql(text).all(...values, size + 1) as StoredRow[]
  const items = rows.slice(0, size).map(sessionRow)
  const last = items.at(-1)
  return last && rows.length > size ? { items, next: cursorAt(last) } : { items }
}

export function headsOf(connection: Connection, ids: readonly string[]): Record<string, number> {
  const text = 'SELECT id, head FROM sessions WHERE id IN (SELECT value FROM json_each(?))'
  return Object.fromEntries(connection.sql(text).raw().all(JSON.stringify(ids)) as [string, number][])
}

export function sessionRow(row: StoredRow): SessionRow {
  // What cannot be read any more is left out: it must not make the session unreachable.
  const metadata = row.metadata === null ? undefined : (parsed(row.metadata) as JsonObject | undefined)
  return {
    id: row.id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    head: row.head,
    ...(row.title !== null && { title: row.title }),
    ...(row.principal !== null && { principal: row.principal }),
    ...(row.tenant !== null && { tenant: row.tenant }),
    ...(row.profile !== null && { profile: row.profile }),
    ...(row.parent !== null && { parent: row.parent }),
    ...(metadata && { metadata }),
    ...(row.archived !== null && { archived: row.archived === 1 }),
    ...(row.open_run !== null && { openRun: row.open_run }),
    ...(row.parked !== null && { parked: row.parked === 1 }),
    ...(row.wake_at !== null && { wakeAt: row.wake_at }),
  }
}

/** In the order of `COLUMNS`. */
function valuesOf(row: SessionRow): unknown[] {
  const flag = (value: boolean | undefined) => (value === undefined ? null : Number(value))
  return [
    row.id,
    row.title ?? null,
    row.title === undefined ? null : searchable(row.title),
    row.principal ?? null,
    row.tenant ?? null,
    row.profile ?? null,
    row.parent ?? null,
    row.metadata === undefined ? null : JSON.stringify(row.metadata),
    flag(row.archived),
    row.createdAt,
    row.updatedAt,
    row.head,
    row.openRun ?? null,
    flag(row.parked),
    row.wakeAt ?? null,
  ]
}
