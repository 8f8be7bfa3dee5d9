import { createHmac, timingSafeEqual } from 'node:crypto'
import { secret } from './data.ts'

/** A stand-in for a sign-in: whoever asks is who they say. What follows from it is as it would be. */
export interface User {
  readonly id: string
  readonly name: string
}

export const USERS: readonly User[] = [
  { id: 'ada', name: 'Ada Lovelace' },
  { id: 'grace', name: 'Grace Hopper' },
]

export const COOKIE = 'stepwell-user'

/** The value of the cookie of a user: nobody can make one without the secret of this server. */
export function signed(userId: string): string {
  return `${userId}.${signature(userId)}`
}

/** Whose cookie it is. Undefined for one that was not signed here. */
export function userOf(cookie: string | undefined): User | undefined {
  const [id = '', given = ''] = cookie?.split('.') ?? []
  const expected = Buffer.from(signature(id))
  const actual = Buffer.from(given)
  if (expected.length !== actual.length || !timingSafeEqual(expected, actual)) return undefined
  return USERS.find((user) => user.id === id)
}

/** Who sends a request, by its cookie header. */
export function userOfRequest(request: Request): User | undefined {
  const cookies = request.headers.get('cookie')?.split(';') ?? []
  const own = cookies.map((cookie) => cookie.trim().split('=')).find(([name]) => name === COOKIE)
  return userOf(own?.[1])
}

function signature(userId: string): string {
  return createHmac('sha256', secret()).update(userId).digest('base64url')
}
