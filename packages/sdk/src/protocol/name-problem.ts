/** In UTF-16 units. */
const MAX_NAME = 256

/**
 * What is wrong with a name or an id: it has 1 to 256 characters, none of them a control character or half a surrogate
 * pair. Everything else is allowed.
 */
export function nameProblem(name: unknown): string | undefined {
  if (typeof name !== 'string') return 'it must be a string'
  if (name === '') return 'it must not be empty'
  if (name.length > MAX_NAME) return `it has ${name.length} characters, more than ${MAX_NAME}`
  if (/\p{Cc}/u.test(name)) return 'it must not contain control characters'
  return name.isWellFormed() ? undefined : 'it must not contain half of a surrogate pair'
}
