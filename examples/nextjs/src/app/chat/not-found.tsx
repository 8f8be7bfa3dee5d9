import Link from 'next/link'
import type { ReactNode } from 'react'
import { SidebarButton } from '../../chat/sidebar-button.tsx'

/** In the place of a conversation: the others are still beside it. */
export default function NoSession(): ReactNode {
  return (
    <main className="thread">
      <div className="header">
        <SidebarButton />
      </div>
      <div className="not-found">
        <span className="logo" aria-hidden="true" />
        <h1>There is no such session</h1>
        <p>It was deleted, or it is somebody else’s.</p>
        <Link className="button main" href="/chat">
          New chat
        </Link>
      </div>
    </main>
  )
}
