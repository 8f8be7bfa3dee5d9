'use client'
import { useSessionSelector } from '@stepwell/react'
import type { ReactNode } from 'react'
import { Icon } from './icons.tsx'
import { Meters } from './meters.tsx'
import { useShell } from './shell-context.ts'

export function ThreadHeader(): ReactNode {
  const title = useSessionSelector(({ row }) => row.title)
  const { openSidebar } = useShell()
  return (
    <header className="thread-header">
      <button type="button" className="icon-button only-phone" aria-label="Show sessions" onClick={openSidebar}>
        <Icon name="menu" />
      </button>
      <h1>
        <bdi>{title ?? 'New chat'}</bdi>
      </h1>
      <Meters />
    </header>
  )
}
