import { hostname } from 'node:os'
import { MAX_GENERATION } from '../../protocol/seq.ts'
import { generationsUsedUp, leaseLost, sessionBusy } from '../errors.ts'
import type { Connection } from './connection.ts'
import { existingRow, type StoredRow } from './rows.ts'

interface Claim {
  readonly owner: string
  readonly ttlMs: number
  readonly takeover?: boolean
}

/** Gives the new generation. */
export function acquire(connection: Connection, id: string, { owner, ttlMs, takeover }: Claim, now: number): number {
  return connection.write(() => {
    const row = existingRow(connection, id)
    if (hasLiveLease(row, now) && row.owner !== owner && !takeover) throw sessionBusy(id, row.lease_expires ?? now)
    if (row.generation >= MAX_GENERATION) throw generationsUsedUp(id)
    const generation = row.generation + 1
    const text = 'UPDATE sessions SET generation = ?, owner = ?, lease_expires = ? WHERE key = ?'
    connection.sql(text).run(generation, owner, now + ttlMs, row.key)
    return generation
  })
}

/** Gives the new time of expiry. */
export function renew(
  connection: Connection,
  id: string,
  owner: string,
  generation: number,
  expiresAt: number,
): number {
  const text = 'UPDATE sessions SET lease_expires = ? WHERE id = ? AND owner = ? AND generation = ?'
  if (connection.sql(text).run(expiresAt, id, owner, generation).changes === 0) throw leaseLost(id, generation)
  return expiresAt
}

export function release(connection: Connection, id: string, owner: string, generation: number): void {
  const text = 'UPDATE sessions SET owner = NULL, lease_expires = NULL WHERE id = ? AND owner = ? AND generation = ?'
  connection.sql(text).run(id, owner, generation)
}

const DUE = `
SELECT * FROM sessions WHERE key IN (
  SELECT key FROM sessions WHERE open_run IS NOT NULL AND coalesce(parked, 0) = 0
  UNION SELECT key FROM sessions WHERE wake_at <= ?
  UNION SELECT session FROM inbox WHERE arrived_at <= ?
)`

export function dueSessions(connection: Connection, now: number, olderThanMs: number): string[] {
  const rows = connection.sql(DUE).all(now, now - olderThanMs) as StoredRow[]
  return rows.filter((row) => !hasLiveLease(row, now)).map((row) => row.id)
}

function hasLiveLease({ owner, lease_expires: expires }: StoredRow, now: number): boolean {
  return owner !== null && expires !== null && expires > now && !isGone(owner)
}

/**
 * Whether the owner's process (`host:pid:random`) has ended, for certain: it ran on this host and no process has its
 * pid. A pid that was given to another process since looks alive, and its lease has to run out. Machines or containers
 * that share a host name and the file but not their processes look gone to each other; the generation still fences them.
 */
function isGone(owner: string): boolean {
  const [, host, pid] = /^(.+):(\d+):[^:]*$/.exec(owner) ?? []
  if (host !== hostname() || pid === undefined) return false
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'
  }
}
