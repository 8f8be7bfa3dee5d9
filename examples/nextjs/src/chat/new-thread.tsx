'use client'
import { AgentProvider } from '@stepwell/react'
import { usePathname } from 'next/navigation'
import type { ReactNode } from 'react'
import { SessionThread } from './session-thread.tsx'

/**
 * A conversation that its first message makes. The address then names it without a navigation, so nothing that streams
 * is torn down; it is taken from there, so that "New chat" leads to another one.
 */
export function NewThread(): ReactNode {
  const [, , id] = usePathname().split('/')
  return (
    <AgentProvider sessionId={id === undefined ? undefined : decodeURIComponent(id)} onCreate={nameIt}>
      <SessionThread />
    </AgentProvider>
  )
}

function nameIt(sessionId: string): void {
  window.history.replaceState(null, '', `/chat/${encodeURIComponent(sessionId)}`)
}
