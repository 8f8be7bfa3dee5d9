import type { HistoryEvent, SessionCreatedEvent } from '../../protocol/events.ts'
import { sessionNotFound, sessionTaken } from '../errors.ts'
import { frozenCopy } from '../frozen-copy.ts'
import { pageOf } from '../page.ts'
import type { Page, SessionQuery, SessionRow } from '../store.ts'
import type { Connection, Reading } from './connection.ts'
import { keysOf, type StoredSession } from './schema.ts'

export interface FoundSession extends StoredSession {
  readonly key: number
}

export async function findSession(transaction: Reading, id: string): Promise<FoundSession | undefined> {
  const ids = transaction.objectStore('sessions').index('id')
  const [key, session] = await Promise.all([ids.getKey(id), ids.get(id)])
  return key !== undefined && session ? { ...session, key } : undefined
}

export async function existingSession(transaction: Reading, id: string): Promise<FoundSession> {
  const session = await findSession(transaction, id)
  if (!session) throw sessionNotFound(id)
  return session
}

export function createSession(
  connection: Connection,
  row: Omit<SessionRow, 'head' | 'updatedAt'>,
  events: readonly [SessionCreatedEvent, ...HistoryEvent[]],
): Promise<void> {
  const head = events.at(-1)?.seq ?? events[0].seq
  const session: StoredSession = { row: frozenCopy({ ...row, head, updatedAt: events[0].at }), generation: 0 }
  const texts = events.map((event) => ({ seq: event.seq, json: JSON.stringify(event) }))
  return connection.write(async (transaction) => {
    if (await findSession(transaction, row.id)) throw sessionTaken(row.id)
    const key = await transaction.objectStore('sessions').add(session)
    const log = transaction.objectStore('events')
    await Promise.all(texts.map((text) => log.add({ session: key, ...text })))
  })
}

export function deleteSession(connection: Connection, id: string): Promise<void> {
  return connection.write(async (transaction) => {
    const session = await findSession(transaction, id)
    if (!session) return
    const { key } = session
    const waiting = await transaction.objectStore('inbox').index('session').getAllKeys(key)
    await Promise.all([
      transaction.objectStore('sessions').delete(key),
      transaction.objectStore('snapshots').delete(key),
      ...(['events', 'receipts', 'blobs', 'accounts', 'bookings'] as const).map((store) =>
        transaction.objectStore(store).delete(keysOf(key)),
      ),
      ...waiting.map((arrival) => transaction.objectStore('inbox').delete(arrival)),
    ])
  })
}

/** Looks at every row: a browser keeps hundreds of sessions, not hundreds of thousands. */
export async function listRows(connection: Connection, query: SessionQuery): Promise<Page<SessionRow>> {
  const sessions = await connection.read((transaction) => transaction.objectStore('sessions').getAll())
  return pageOf(
    sessions.map(({ row }) => row),
    query,
  )
}

export function headsOf(connection: Connection, ids: readonly string[]): Promise<Record<string, number>> {
  return connection.read(async (transaction) => {
    const byId = transaction.objectStore('sessions').index('id')
    const found = await Promise.all(ids.map((id) => byId.get(id)))
    return Object.fromEntries(found.flatMap((session) => (session ? [[session.row.id, session.row.head]] : [])))
  })
}
