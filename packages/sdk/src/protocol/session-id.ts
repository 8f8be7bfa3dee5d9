import { SessionError } from './errors.ts'

/** In UTF-16 units. */
const MAX_SESSION_ID = 256

/**
 * Throws `session.invalid-id` unless the id has 1 to 256 characters, none of them a control character or a lone
 * surrogate. Everything else is allowed: ids are data, never paths or SQL.
 */
export function checkSessionId(id: string): void {
  const reason = whatIsWrong(id)
  if (reason) {
    throw new SessionError(
      'session.invalid-id',
      `A session id ${reason}; use 1 to ${MAX_SESSION_ID} printable characters.`,
    )
  }
}

function whatIsWrong(id: string): string | undefined {
  if (typeof id !== 'string') return 'must be a string'
  if (id.length === 0) return 'must not be empty'
  if (id.length > MAX_SESSION_ID) return `must not have ${id.length} characters`
  if (/\p{Cc}/u.test(id)) return 'must not contain control characters'
  if (!id.isWellFormed()) return 'must not contain half of a surrogate pair'
  return undefined
}
