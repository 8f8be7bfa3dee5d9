import { ConfigError, type ErrorCode, StepwellError, StoreError, thrownText } from '../../protocol/errors.ts'

type StoreCode = Extract<ErrorCode, `store.${string}`>

/** Primary result codes; the extended ones (`SQLITE_BUSY_SNAPSHOT`…) begin with them. */
const meanings: readonly (readonly [sqliteCode: string, code: StoreCode, advice: string])[] = [
  ['SQLITE_BUSY', 'store.locked', 'Another process holds the database. Try again.'],
  ['SQLITE_LOCKED', 'store.locked', 'Another connection holds the database. Try again.'],
  ['SQLITE_NOTADB', 'store.not-a-database', 'The file is no SQLite database. Give sqliteStore a path of its own.'],
  ['SQLITE_FULL', 'store.full', 'No room is left for the database. Free some disk space.'],
  [
    'SQLITE_CORRUPT',
    'store.corrupt',
    'The database is damaged. Restore it from a backup, or try `sqlite3 file .recover`.',
  ],
  [
    'SQLITE_READONLY',
    'store.unwritable',
    'The database may only be read. Check the permissions of the file and its folder.',
  ],
  [
    'SQLITE_PERM',
    'store.unwritable',
    'The database may not be opened. Check the permissions of the file and its folder.',
  ],
  [
    'SQLITE_CANTOPEN',
    'store.unwritable',
    'The database cannot be opened. Check that the path is a file in a folder that exists and can be written.',
  ],
]

/** What better-sqlite3 threw, as an error of this library. Errors of this library stay as they are. */
export function storeError(error: unknown, path: string): StepwellError {
  if (error instanceof StepwellError) return error
  const sqliteCode =
    error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
  const meaning = meanings.find(([prefix]) => sqliteCode?.startsWith(prefix))
  if (meaning) return describe(meaning[1], meaning[2], error, path)
  if (error instanceof SyntaxError)
    return describe('store.corrupt', 'A row of the database cannot be read.', error, path)
  const folderIsMissing = error instanceof TypeError && /directory does not exist/.test(error.message)
  if (folderIsMissing)
    return describe('store.unwritable', 'The folder of the database does not exist. Create it.', error, path)
  return describe('store.unavailable', 'The database failed.', error, path)
}

function describe(code: StoreCode, advice: string, cause: unknown, path: string): StoreError {
  return new StoreError(code, `${advice} (${path}: ${thrownText(cause)})`, {
    retryable: code === 'store.locked' || code === 'store.unavailable',
    cause,
  })
}

/** Why better-sqlite3 could not be loaded. */
export function driverError(cause: unknown): ConfigError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  const isMissing = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND'
  const advice = isMissing
    ? 'sqliteStore needs the package better-sqlite3. Run: npm install better-sqlite3@12'
    : 'better-sqlite3 is installed but does not load on this machine. Run: npm rebuild better-sqlite3'
  return new ConfigError('config.invalid', `${advice} (${thrownText(cause)})`, { cause })
}

/** Whether better-sqlite3 failed for want of its native part, which it looks for when a database is opened. */
export function isDriverFailure(error: unknown): boolean {
  return (
    error instanceof Error &&
    (/bindings file/.test(error.message) || ('code' in error && error.code === 'ERR_DLOPEN_FAILED'))
  )
}

export function isBusy(error: unknown): boolean {
  return storeError(error, '').code === 'store.locked'
}
