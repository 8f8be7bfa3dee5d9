import type { DBSchema, IDBPDatabase, StoreNames } from 'idb'
import type { Booking } from '../ledger.ts'
import type { SessionRow } from '../store.ts'

/** Raised with every change of the object stores; a database with a higher one is refused. */
export const SCHEMA_VERSION = 1

/** Stands for the session of an account that is nobody's: keys of sessions start at 1. */
export const NOBODY = 0

export interface StoredLease {
  readonly owner: string
  /** Epoch ms. */
  readonly expiresAt: number
  /** The name of the Web Lock that the owner's page holds; absent where there are none. */
  readonly holder?: string
}

/** Under a number that stands for the session in all other object stores. */
export interface StoredSession {
  readonly row: SessionRow
  readonly generation: number
  readonly lease?: StoredLease
}

/**
 * What is never searched is kept as JSON text: it takes less room than a structured clone, and what cannot be read any
 * more is found out entry by entry.
 */
export interface Schema extends DBSchema {
  sessions: {
    key: number
    value: StoredSession
    /** A session that has no open run or wants no wake is in none of these two. */
    indexes: { id: string; openRun: string; wakeAt: number }
  }
  events: {
    key: [session: number, seq: number]
    value: { readonly session: number; readonly seq: number; readonly json: string }
  }
  /** Keys follow the order of arrival. */
  inbox: {
    key: number
    value: {
      readonly session: number
      readonly id: string
      readonly json: string
      readonly content: string
      readonly arrivedAt: number
    }
    indexes: { session: number; command: [session: number, id: string]; arrivedAt: number }
  }
  receipts: {
    key: [session: number, id: string]
    /** `content` is absent for a command that never was in the inbox. */
    value: { readonly session: number; readonly id: string; readonly json: string; readonly content?: string }
  }
  snapshots: {
    key: number
    value: { readonly session: number; readonly version: number; readonly seq: number; readonly json: string }
  }
  blobs: {
    key: [session: number, sha256: string]
    value: {
      readonly session: number
      readonly sha256: string
      readonly bytes: Uint8Array
      readonly mediaType?: string
    }
  }
  accounts: {
    key: [session: number, name: string]
    value: { readonly session: number; readonly name: string; readonly amounts: ReadonlyMap<string, number> }
  }
  bookings: {
    key: [session: number, attempt: string]
    /** `openIn` is the session again, while the reservation is open. */
    value: {
      readonly session: number
      readonly attempt: string
      readonly booking: Booking
      readonly openIn?: number
    }
    indexes: { openIn: number }
  }
}

export const STORES: StoreNames<Schema>[] = [
  'sessions',
  'events',
  'inbox',
  'receipts',
  'snapshots',
  'blobs',
  'accounts',
  'bookings',
]

export function createStores(db: IDBPDatabase<Schema>): void {
  const sessions = db.createObjectStore('sessions', { autoIncrement: true })
  sessions.createIndex('id', 'row.id', { unique: true })
  sessions.createIndex('openRun', 'row.openRun')
  sessions.createIndex('wakeAt', 'row.wakeAt')
  db.createObjectStore('events', { keyPath: ['session', 'seq'] })
  const inbox = db.createObjectStore('inbox', { autoIncrement: true })
  inbox.createIndex('session', 'session')
  inbox.createIndex('command', ['session', 'id'], { unique: true })
  inbox.createIndex('arrivedAt', 'arrivedAt')
  db.createObjectStore('receipts', { keyPath: ['session', 'id'] })
  db.createObjectStore('snapshots', { keyPath: 'session' })
  db.createObjectStore('blobs', { keyPath: ['session', 'sha256'] })
  db.createObjectStore('accounts', { keyPath: ['session', 'name'] })
  const bookings = db.createObjectStore('bookings', { keyPath: ['session', 'attempt'] })
  bookings.createIndex('openIn', 'openIn')
}

/** Every key that begins with the session's: arrays sort after numbers and strings. */
export function keysOf(session: number): IDBKeyRange {
  return IDBKeyRange.bound([session], [session, []])
}
