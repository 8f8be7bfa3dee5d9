import { type ErrorCode, StepwellError, StoreError, thrownText } from '../../protocol/errors.ts'

interface Meaning {
  readonly code: Extract<ErrorCode, `store.${string}`> | 'protocol.too-new'
  readonly advice: string
  readonly retryable?: true
}

const damaged: Meaning = { code: 'store.corrupt', advice: 'The database is damaged. Delete it, or the site data.' }

/** By the name of the DOMException. */
const meanings: Readonly<Record<string, Meaning>> = {
  QuotaExceededError: {
    code: 'store.full',
    advice:
      'The browser gives this site no more room. Delete sessions, or ask for more by navigator.storage.persist().',
  },
  VersionError: {
    code: 'protocol.too-new',
    advice: 'The database was written by a newer version of this library. Reload the page, or update it.',
  },
  SecurityError: {
    code: 'store.unavailable',
    advice:
      'The browser lets this page store nothing, as in private windows or with site data blocked. Use memoryStore.',
  },
  DataError: damaged,
  NotReadableError: damaged,
}

const failed: Meaning = { code: 'store.unavailable', advice: 'The database failed.', retryable: true }

/** What the browser threw, as an error of this library. Errors of this library stay as they are. */
export function storeError(error: unknown, name: string): StepwellError {
  if (error instanceof StepwellError) return error
  const meaning = (error instanceof DOMException && meanings[error.name]) || (error instanceof SyntaxError && damaged)
  const { code, advice, retryable = false } = meaning || failed
  return new StoreError(code, `${advice} (${name}: ${thrownText(error)})`, { retryable, cause: error })
}
