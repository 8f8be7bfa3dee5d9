import { type IDBPDatabase, type IDBPTransaction, openDB, type StoreNames } from 'idb'
import { StoreError } from '../../protocol/errors.ts'
import { createStores, SCHEMA_VERSION, type Schema, STORES } from './schema.ts'

type Transaction<Mode extends IDBTransactionMode> = IDBPTransaction<Schema, StoreNames<Schema>[], Mode>
/** In either kind: what only looks. */
export type Reading = Transaction<'readonly'> | Transaction<'readwrite'>
export type Writing = Transaction<'readwrite'>

/** An open database with our object stores in it. */
export interface Connection {
  /** Sees one state of the database. `action` must wait for nothing but its transaction: that ends when it is idle. */
  read<T>(action: (transaction: Reading) => Promise<T>): Promise<T>
  /** All of `action` or nothing, one at a time in the order of the calls, whichever tab they come from. */
  write<T>(action: (transaction: Writing) => Promise<T>): Promise<T>
  close(): void
}

/**
 * Rejects with `store.unavailable`, `store.locked`, `store.not-a-database` or what the browser threw.
 * `onLost` is told when the connection was closed under us: for another version of the database, or by the browser.
 */
export async function connect(name: string, onLost: () => void, version = SCHEMA_VERSION): Promise<Connection> {
  checkPlace(name)
  const db = await open(name, onLost, version)
  if (STORES.some((store) => !db.objectStoreNames.contains(store))) {
    db.close()
    throw new StoreError(
      'store.not-a-database',
      `The database ${JSON.stringify(name)} of this origin is another application's. Give indexedDBStore a name of its own.`,
    )
  }
  return {
    read: (action) => transact(db.transaction(STORES, 'readonly'), action),
    write: (action) => transact(db.transaction(STORES, 'readwrite'), action),
    close: () => db.close(),
  }
}

/** Where there is nothing to open. */
function checkPlace(name: string): void {
  const missing =
    globalThis.indexedDB === undefined
      ? 'There is no IndexedDB here. Use memoryStore, or sqliteStore in Node.'
      : globalThis.crypto.subtle === undefined
        ? 'indexedDBStore needs a page that came over https or from localhost.'
        : undefined
  if (missing) throw new StoreError('store.unavailable', `${missing} (${name})`)
}

function open(name: string, onLost: () => void, version: number): Promise<IDBPDatabase<Schema>> {
  return new Promise((resolve, reject) => {
    let gaveUp = false
    openDB<Schema>(name, version, {
      upgrade: createStores,
      blocked() {
        gaveUp = true
        const message = `Another tab holds an older version of the database ${JSON.stringify(name)} open. Reload or close it.`
        reject(new StoreError('store.locked', message, { retryable: true }))
      },
      blocking(_current, _wanted, event) {
        if (event.target instanceof IDBDatabase) event.target.close()
        onLost()
      },
      terminated: onLost,
    }).then((db) => {
      if (gaveUp) db.close()
      else resolve(db)
    }, reject)
  })
}

async function transact<Mode extends IDBTransactionMode, T>(
  transaction: Transaction<Mode>,
  action: (transaction: Transaction<Mode>) => Promise<T>,
): Promise<T> {
  try {
    const [result] = await Promise.all([action(transaction), transaction.done])
    return result
  } catch (error) {
    // Why it ended is told by the transaction: its requests only say that it did.
    const reason = transaction.error ?? error
    abort(transaction)
    throw reason
  }
}

function abort(transaction: { abort(): void }): void {
  try {
    transaction.abort()
  } catch {
    // It has ended already.
  }
}
