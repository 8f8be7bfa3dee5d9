import Link from 'next/link'
import type { ReactNode } from 'react'

export default function NotFound(): ReactNode {
  return (
    <main className="not-found">
      <span className="logo" aria-hidden="true" />
      <h1>There is no such page</h1>
      <p>Its address may be old, or mistyped.</p>
      <Link className="button main" href="/chat">
        To the chats
      </Link>
    </main>
  )
}
