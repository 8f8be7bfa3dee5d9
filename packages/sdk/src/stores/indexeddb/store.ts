import { checkSessionId } from '../../protocol/session-id.ts'
import { REDUCER_VERSION } from '../../protocol/state.ts'
import { storeClosed } from '../errors.ts'
import { makeLease } from '../lease.ts'
import { sha256Of } from '../sha256.ts'
import type { SessionStore, Snapshot } from '../store.ts'
import { type Connection, connect } from './connection.ts'
import { storeError } from './errors.ts'
import { becomeHolder, type Holder } from './holder.ts'
import { findReceipt, post, waitingCommands } from './inbox.ts'
import { openReservations, reserve, settle, spent } from './ledger.ts'
import { append, nextBatch, rangeOf } from './log.ts'
import { acquire, dueSessions, release, renew } from './owners.ts'
import { createSession, deleteSession, existingSession, findSession, headsOf, listRows } from './rows.ts'

export interface IndexedDBStoreOptions {
  /** Epoch ms, for leases and `due`. */
  now?(): number
}

/**
 * Sessions in one IndexedDB database of the page's origin, shared by its tabs and workers. The database is opened by the
 * first call, which rejects with `store.unavailable`, `store.locked`, `store.not-a-database` or `protocol.too-new` when
 * it cannot be used. A tab that goes gives up its leases where the browser has Web Locks, elsewhere they run out.
 */
export function indexedDBStore(name: string, options: IndexedDBStoreOptions = {}): SessionStore {
  const now = options.now ?? Date.now
  const underWay = new Set<Promise<unknown>>()
  let opening: Promise<Connection> | undefined
  let holding: Promise<Holder> | undefined
  let closing: Promise<void> | undefined
  let posted: Promise<unknown> = Promise.resolve()

  async function run<T>(action: (connection: Connection) => Promise<T>): Promise<T> {
    if (closing !== undefined) throw storeClosed()
    const call = opened().then(action)
    underWay.add(call)
    try {
      return await call
    } catch (error) {
      throw storeError(error, name)
    } finally {
      underWay.delete(call)
    }
  }

  /** Kept until it fails or is lost: then the next call tries again. */
  async function opened(): Promise<Connection> {
    const forget = () => {
      opening = undefined
    }
    opening ??= connect(name, forget)
    try {
      return await opening
    } catch (error) {
      forget()
      throw error
    }
  }

  async function finish(): Promise<void> {
    await Promise.allSettled(underWay)
    const holder = await holding
    holder?.leave()
    const connection = await opening?.catch(() => undefined)
    connection?.close()
  }

  return {
    create: (row, created, history = []) =>
      run(async (connection) => {
        checkSessionId(row.id)
        await createSession(connection, row, [created, ...history])
      }),
    get: (id) => run((connection) => connection.read(async (transaction) => (await findSession(transaction, id))?.row)),
    list: (query = {}) => run((connection) => listRows(connection, query)),
    delete: (id) => run((connection) => deleteSession(connection, id)),

    async acquire(id, claim) {
      const { owner, ttlMs } = claim
      const expiresAt = now() + ttlMs
      const generation = await run(async (connection) => {
        holding ??= becomeHolder(name)
        const { lock } = await holding
        return acquire(connection, id, claim, lock, now())
      })
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

    post: (id, command) =>
      run((connection) => {
        // One after the other: hashing takes its time, and the inbox keeps the order of the calls.
        const call = posted.then(() => post(connection, id, command, now()))
        posted = call.catch(() => {})
        return call
      }),
    commands: (id) => run((connection) => waitingCommands(connection, id)),
    receipt: (id, commandId) => run((connection) => findReceipt(connection, id, commandId)),
    due: (olderThanMs) => run((connection) => dueSessions(connection, now(), olderThanMs)),
    heads: (ids) => run((connection) => headsOf(connection, ids)),

    saveSnapshot: (id, snapshot) => run((connection) => saveSnapshot(connection, id, snapshot)),
    snapshot: (id) => run((connection) => findSnapshot(connection, id)),

    blobs: {
      put(id, given, mediaType) {
        const bytes = given.slice()
        return run(async (connection) => {
          const sha256 = await sha256Of(bytes)
          await connection.write(async (transaction) => {
            const { key: session } = await existingSession(transaction, id)
            const blob = { session, sha256, bytes, ...(mediaType !== undefined && { mediaType }) }
            await transaction.objectStore('blobs').put(blob)
          })
          return { sha256, size: bytes.length }
        })
      },
      get: (id, sha256) =>
        run((connection) =>
          connection.read(async (transaction) => {
            const session = await findSession(transaction, id)
            return session && (await transaction.objectStore('blobs').get([session.key, sha256]))?.bytes
          }),
        ),
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

function saveSnapshot(connection: Connection, id: string, { version, seq, state }: Snapshot): Promise<void> {
  const json = JSON.stringify(state)
  return connection.write(async (transaction) => {
    const { key: session } = await existingSession(transaction, id)
    const snapshots = transaction.objectStore('snapshots')
    const stored = await snapshots.get(session)
    if (stored?.version === version && stored.seq > seq) return
    await snapshots.put({ session, version, seq, json })
  })
}

/** A snapshot is a cache: one that cannot be read is none. */
async function findSnapshot(connection: Connection, id: string): Promise<Snapshot | undefined> {
  const stored = await connection.read(async (transaction) => {
    const session = await findSession(transaction, id)
    return session && transaction.objectStore('snapshots').get(session.key)
  })
  if (stored?.version !== REDUCER_VERSION) return undefined
  try {
    return { version: stored.version, seq: stored.seq, state: JSON.parse(stored.json) as Snapshot['state'] }
  } catch {
    return undefined
  }
}
