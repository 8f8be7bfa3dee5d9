import { cookies } from 'next/headers'
import { redirect } from 'next/navigation'
import type { ReactNode } from 'react'
import { COOKIE, signed, USERS } from '../../server/users.ts'

async function signIn(form: FormData): Promise<void> {
  'use server'
  const user = USERS.find(({ id }) => id === form.get('user'))
  if (user === undefined) redirect('/sign-in')
  const jar = await cookies()
  jar.set(COOKIE, signed(user.id), { httpOnly: true, sameSite: 'lax', path: '/' })
  redirect('/chat')
}

export default function SignIn(): ReactNode {
  return (
    <main className="sign-in">
      <div className="sign-in-card">
        <span className="logo" aria-hidden="true" />
        <h1>Who are you?</h1>
        <p>A stand-in for your sign-in: no password, two people, and neither sees the other’s sessions.</p>
        <form action={signIn}>
          {USERS.map(({ id, name }) => (
            <button key={id} type="submit" name="user" value={id}>
              <span className="avatar" data-user={id} aria-hidden="true">
                {name[0]}
              </span>
              {name}
            </button>
          ))}
        </form>
      </div>
    </main>
  )
}
