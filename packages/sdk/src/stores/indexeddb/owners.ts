import { MAX_GENERATION } from '../../protocol/seq.ts'
import { generationsUsedUp, leaseLost, sessionBusy } from '../errors.ts'
import type { Connection } from './connection.ts'
import { heldLocks } from './holder.ts'
import { existingSession, findSession } from './rows.ts'
import type { StoredLease, StoredSession } from './schema.ts'

interface Claim {
  readonly owner: string
  readonly ttlMs: number
  readonly takeover?: boolean
}

/** Gives the new generation. `holder` is the lock of this page. */
export async function acquire(
  connection: Connection,
  id: string,
  { owner, ttlMs, takeover }: Claim,
  holder: string | undefined,
  now: number,
): Promise<number> {
  const gone = await goneHolder(connection, id)
  return connection.write(async (transaction) => {
    const { key, lease, generation: last, row } = await existingSession(transaction, id)
    const isLive = lease !== undefined && lease.expiresAt > now && (gone === undefined || lease.holder !== gone)
    if (isLive && lease.owner !== owner && !takeover) throw sessionBusy(id, lease.expiresAt)
    if (last >= MAX_GENERATION) throw generationsUsedUp(id)
    const generation = last + 1
    const taken: StoredLease = { owner, expiresAt: now + ttlMs, ...(holder !== undefined && { holder }) }
    await transaction.objectStore('sessions').put({ row, generation, lease: taken }, key)
    return generation
  })
}

/**
 * The holder of the session's lease when its page has gone. Locks cannot be asked for within a transaction, so this is
 * asked before: a name is used once, and one that has gone does not come back.
 */
async function goneHolder(connection: Connection, id: string): Promise<string | undefined> {
  const session = await connection.read((transaction) => findSession(transaction, id))
  const holder = session?.lease?.holder
  return holder !== undefined && (await heldLocks())?.has(holder) === false ? holder : undefined
}

/** Gives the new time of expiry. */
export function renew(
  connection: Connection,
  id: string,
  owner: string,
  generation: number,
  expiresAt: number,
): Promise<number> {
  return connection.write(async (transaction) => {
    const session = await findSession(transaction, id)
    const { lease } = session ?? {}
    if (!session || lease?.owner !== owner || session.generation !== generation) throw leaseLost(id, generation)
    const renewed = { row: session.row, generation, lease: { ...lease, expiresAt } }
    await transaction.objectStore('sessions').put(renewed, session.key)
    return expiresAt
  })
}

export function release(connection: Connection, id: string, owner: string, generation: number): Promise<void> {
  return connection.write(async (transaction) => {
    const session = await findSession(transaction, id)
    if (session?.lease?.owner !== owner || session.generation !== generation) return
    await transaction.objectStore('sessions').put({ row: session.row, generation }, session.key)
  })
}

export async function dueSessions(connection: Connection, now: number, olderThanMs: number): Promise<string[]> {
  const wanting = await connection.read(async (transaction) => {
    const sessions = transaction.objectStore('sessions')
    const [open, woken, waiting] = await Promise.all([
      sessions.index('openRun').getAll(),
      sessions.index('wakeAt').getAll(IDBKeyRange.upperBound(now)),
      transaction
        .objectStore('inbox')
        .index('arrivedAt')
        .getAll(IDBKeyRange.upperBound(now - olderThanMs)),
    ])
    const keys = [...new Set(waiting.map(({ session }) => session))]
    const asked = await Promise.all(keys.map((key) => sessions.get(key)))
    return [...open.filter(({ row }) => !row.parked), ...woken, ...asked.flatMap((session) => session ?? [])]
  })
  const held = await heldLocks()
  const due = wanting.filter(({ lease }) => !hasLiveLease(lease, now, held))
  return [...new Set(due.map(({ row }) => row.id))]
}

function hasLiveLease(lease: StoredSession['lease'], now: number, held: ReadonlySet<string> | undefined): boolean {
  return (
    lease !== undefined &&
    lease.expiresAt > now &&
    (lease.holder === undefined || held === undefined || held.has(lease.holder))
  )
}
