'use client'
import type { ReactNode } from 'react'
import { Icon } from 'stepwell-example-chat-kit'
import { useShell } from './shell-context.ts'

/** The way to the list of sessions, where it is not in sight. */
export function SidebarButton(): ReactNode {
  const { openSidebar } = useShell()
  return (
    <button type="button" className="icon-button only-phone" aria-label="Show sessions" onClick={openSidebar}>
      <Icon name="menu" />
    </button>
  )
}
