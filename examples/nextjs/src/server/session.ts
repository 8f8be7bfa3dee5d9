import { preloadSession, type SessionPreload } from '@stepwell/sdk/view'
import { cookies } from 'next/headers'
import { redirect } from 'next/navigation'
import { agent } from './agent.ts'
import { COOKIE, type User, userOf } from './users.ts'

/** Who asks for this page. Those who did not sign in are sent there. */
export async function requireUser(): Promise<User> {
  const user = userOf((await cookies()).get(COOKIE)?.value)
  return user ?? redirect('/sign-in')
}

/** A session of the user's, as it is now. Undefined for one that is another's, as for one that is not there. */
export async function preloadOf(id: string, user: User): Promise<SessionPreload | undefined> {
  const session = await agent()
    .session(id, { create: false })
    .catch(() => undefined)
  return session?.state.row.principal === user.id ? preloadSession(session) : undefined
}
