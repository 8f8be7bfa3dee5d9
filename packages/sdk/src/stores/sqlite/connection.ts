import type BetterSqlite3 from 'better-sqlite3'
import { ConfigError, StoreError } from '../../protocol/errors.ts'
import { driverError, isBusy, isDriverFailure } from './errors.ts'
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION } from './schema.ts'

type Pragmas = Readonly<Record<string, string | number>>

/** How long one statement waits for another process, in ms: the process stands still meanwhile. */
const BUSY_TIMEOUT_MS = 2_000

const WAL_RETRY_MS = 10

/** An open database with our tables in it. */
export interface Connection {
  readonly db: BetterSqlite3.Database
  /** The prepared statement, made once for each text. */
  sql(text: string): BetterSqlite3.Statement<unknown[]>
  /** One write transaction: all of `action` or nothing. */
  write<T>(action: () => T): T
}

/** Rejects with `config.invalid`, `protocol.too-new` or what better-sqlite3 threw. */
export async function connect(path: string, pragmas: Pragmas): Promise<Connection> {
  const Database = await loadDriver()
  const db = open(Database, path)
  try {
    await prepare(db, path, pragmas)
  } catch (error) {
    db.close()
    throw error
  }
  const statements = new Map<string, BetterSqlite3.Statement<unknown[]>>()
  const sql = (text: string) => {
    const known = statements.get(text)
    if (known) return known
    const statement = db.prepare<unknown[]>(text)
    statements.set(text, statement)
    return statement
  }
  // Immediate: a transaction that reads first and writes later could otherwise find itself too late to write.
  const transaction = db.transaction((action: () => unknown) => action()).immediate
  return { db, sql, write: <T>(action: () => T) => transaction(action) as T }
}

async function loadDriver(): Promise<typeof BetterSqlite3> {
  try {
    return (await import('better-sqlite3')).default
  } catch (error) {
    throw driverError(error)
  }
}

function open(Database: typeof BetterSqlite3, path: string): BetterSqlite3.Database {
  try {
    return new Database(path, { timeout: BUSY_TIMEOUT_MS })
  } catch (error) {
    throw isDriverFailure(error) ? driverError(error) : error
  }
}

async function prepare(db: BetterSqlite3.Database, path: string, pragmas: Pragmas): Promise<void> {
  const isNew = isEmpty(db)
  if (!isNew) checkOwnership(db, path)
  await useWal(db)
  db.pragma('synchronous = NORMAL')
  for (const [name, value] of Object.entries(pragmas)) db.pragma(`${word(name)} = ${word(value)}`)
  if (!isNew) return
  const createTables = db.transaction(() => {
    if (isEmpty(db)) db.exec(SCHEMA)
  })
  createTables.immediate()
}

/** The first switch of a file needs it alone, and SQLite does not wait for that: processes that start together retry. */
async function useWal(db: BetterSqlite3.Database): Promise<void> {
  const deadline = Date.now() + BUSY_TIMEOUT_MS
  for (;;) {
    try {
      db.pragma('journal_mode = WAL')
      return
    } catch (error) {
      if (!isBusy(error) || Date.now() >= deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, WAL_RETRY_MS))
    }
  }
}

function isEmpty(db: BetterSqlite3.Database): boolean {
  return (
    db.pragma('user_version', { simple: true }) === 0 && db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined
  )
}

function checkOwnership(db: BetterSqlite3.Database, path: string): void {
  if (db.pragma('application_id', { simple: true }) !== APPLICATION_ID) {
    throw new StoreError(
      'store.not-a-database',
      `${path} is the database of another application. Give sqliteStore a file of its own.`,
    )
  }
  const version = Number(db.pragma('user_version', { simple: true }))
  if (version > SCHEMA_VERSION) {
    throw new StoreError(
      'protocol.too-new',
      `${path} was written by a newer version of this library (schema ${version}). Update it.`,
    )
  }
  if (version < SCHEMA_VERSION) {
    throw new StoreError(
      'store.not-a-database',
      `${path} was written by an earlier version of this library (schema ${version}), and this one needs schema ${SCHEMA_VERSION}. Nothing converts it: give sqliteStore another file, or move this one away. It is left as it is, for the version that wrote it.`,
    )
  }
}

/** Pragmas take no parameters, so whatever becomes part of their text must be a plain word or number. */
function word(value: string | number): string {
  if (/^-?\w+$/.test(String(value))) return String(value)
  throw new ConfigError('config.invalid', `A pragma is a name and a word or number, not ${JSON.stringify(value)}.`)
}
