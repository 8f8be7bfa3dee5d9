import { createHash } from 'node:crypto'
import { checkSessionId } from '../../protocol/session-id.ts'
import { storeClosed } from '../errors.ts'
import { makeLease } from '../lease.ts'
import type { SessionStore } from '../store.ts'
import { type Connection, connect } from './connection.ts'
import { storeError } from './errors.ts'
import { findReceipt, post, waitingCommands } from './inbox.ts'
import { openReservations, reserve, settle, spent } from './ledger.ts'
import { append, nextBatch, rangeOf } from './log.ts'
import { acquire, dueSessions, release, renew } from './owners.ts'
import { deleteRow, existingRow, findRow, headsOf, insertRow, listRows, sessionRow } from './rows.ts'
import { findSnapshot, saveSnapshot } from './snapshots.ts'

export interface SqliteStoreOptions {
  /**
   * Set on the connection after our own, for instance `{ synchronous: 'full' }`: the default `normal` never damages the
   * file, but the last moments before a power cut may be missing from it. `busy_timeout` (ms, default 2,000) is how
   * long a call waits for another process.
   */
  readonly pragmas?: Readonly<Record<string, string | number>>
  /** Epoch ms, for leases and `due`. */
  now?(): number
}

/**
 * Sessions in one SQLite file (or `:memory:`), shared by any number of processes of one machine. Needs better-sqlite3.
 * The file is opened by the first call, which rejects with `config.invalid` without that package, and with `store.*` or
 * `protocol.too-new` when the file cannot be used.
 */
export function sqliteStore(path: string, options: SqliteStoreOptions = {}): SessionStore {
  const now = options.now ?? Date.now
  const underWay = new Set<Promise<unknown>>()
  let opening: Promise<Connection> | undefined
  let closing: Promise<void> | undefined

  async function run<T>(action: (connection: Connection) => T): Promise<T> {
    if (closing !== undefined) throw storeClosed()
    const call = opened().then(action)
    underWay.add(call)
    try {
      return await call
    } catch (error) {
      throw storeError(error, path)
    } finally {
      underWay.delete(call)
    }
  }

  /** Kept once it succeeded: after a failure the next call tries again. */
  async function opened(): Promise<Connection> {
    opening ??= connect(path, options.pragmas ?? {})
    try {
      return await opening
    } catch (error) {
      opening = undefined
      throw error
    }
  }

  async function finish(): Promise<void> {
    await Promise.allSettled(underWay)
    const connection = await opening
    connection?.db.close()
  }

  return {
    create: (row, created, history = []) =>
      run((connection) => {
        checkSessionId(row.id)
        insertRow(connection, row, [created, ...history])
      }),
    get: (id) =>
      run((connection) => {
        const row = findRow(connection, id)
        return row && sessionRow(row)
      }),
    list: (query = {}) => run((connection) => listRows(connection, query)),
    delete: (id) => run((connection) => deleteRow(connection, id)),

    async acquire(id, claim) {
      const { owner, ttlMs } = claim
      const expiresAt = now() + ttlMs
      const generation = await run((connection) => acquire(connection, id, claim, now()))
      return makeLease(generation, expiresAt, {
        renew: () => run((connection) => renew(connection, id, owner, generation, now() + ttlMs)),
        release: async () => {
          if (closing === undefined) await run((connection) => release(connection, id, owner, generation))
        },
      })
    },

    append: (id, events, appendOptions) => run((connection) => append(connection, id, events, appendOptions)),

    async *read(id, readOptions = {}) {
      let range = await run((connection) => rangeOf(connection, id, readOptions))
      while (range) {
        const here = range
        const batch = await run((connection) => nextBatch(connection, here, readOptions))
        if (batch && batch.events.length > 0) yield batch.events
        range = batch?.rest
      }
    },

    post: (id, command) => run((connection) => post(connection, id, command, now())),
    commands: (id) => run((connection) => waitingCommands(connection, id)),
    receipt: (id, commandId) => run((connection) => findReceipt(connection, id, commandId)),
    due: (olderThanMs) => run((connection) => dueSessions(connection, now(), olderThanMs)),
    heads: (ids) => run((connection) => headsOf(connection, ids)),

    saveSnapshot: (id, snapshot) => run((connection) => saveSnapshot(connection, id, snapshot)),
    snapshot: (id) => run((connection) => findSnapshot(connection, id)),

    blobs: {
      put: (id, bytes, mediaType) =>
        run((connection) => {
          const { key } = existingRow(connection, id)
          const sha256 = createHash('sha256').update(bytes).digest('hex')
          connection
            .sql('INSERT INTO blobs VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING')
            .run(key, sha256, mediaType ?? null, bytes)
          return { sha256, size: bytes.length }
        }),
      get: (id, sha256) =>
        run((connection) => {
          const text = 'SELECT bytes FROM blobs WHERE session = (SELECT key FROM sessions WHERE id = ?) AND sha256 = ?'
          const bytes = connection.sql(text).pluck().get(id, sha256) as Buffer | undefined
          return bytes && new Uint8Array(bytes)
        }),
    },

    ledger: {
      reserve: (key, estimate, claims) => run((connection) => reserve(connection, key, estimate, claims)),
      settle: (key, actual) => run((connection) => settle(connection, key, actual)),
      spent: (account) => run((connection) => spent(connection, account)),
      open: (sessionId) => run((connection) => openReservations(connection, sessionId)),
    },

    close() {
      closing ??= finish()
      return closing
    },
  }
}
