import Link from 'next/link'
import type { ReactNode } from 'react'

export default function NotFound(): ReactNode {
  return (
    <main className="empty">
      <h1>There is no such session</h1>
      <p>It was deleted, or it is somebody else’s.</p>
      <Link className="button" href="/chat">
        New chat
      </Link>
    </main>
  )
}
