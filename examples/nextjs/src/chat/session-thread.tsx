'use client'
import { useSession, useSessionEvent } from '@stepwell/react'
import type { ReactNode } from 'react'
import { Thread } from 'stepwell-example-chat-kit'
import { useShell } from './shell-context.ts'
import { SidebarButton } from './sidebar-button.tsx'

/** Before the page has its script: the end of the conversation is what is seen first. */
const TO_END = "document.querySelector('.viewport').scrollTop=1e9"

/** The chat of the kit, beside the list of sessions. */
export function SessionThread(): ReactNode {
  useListUpdates()
  return (
    <>
      <Thread fileUrl={fileUrl} headerStart={<SidebarButton />} />
      <script>{TO_END}</script>
    </>
  )
}

function fileUrl(sessionId: string, sha256: string): string {
  return `/api/agent/sessions/${encodeURIComponent(sessionId)}/blobs/${sha256}`
}

/** A conversation is named after its first message, and the list shows what happens in it. */
function useListUpdates(): void {
  const { view, update } = useSession()
  const { refreshList } = useShell()
  useSessionEvent('message', ({ message }) => {
    if (message.role !== 'user' || view.live.row.title !== undefined) return
    const text = message.parts.map((part) => (part.type === 'text' ? part.text : '')).join(' ')
    void update({ title: titleOf(text) || 'Files' })
  })
  useSessionEvent('session-updated', refreshList)
  useSessionEvent('run-start', refreshList)
  useSessionEvent('request', refreshList)
  useSessionEvent('request-resolved', refreshList)
  useSessionEvent('finish', refreshList)
}

function titleOf(text: string): string {
  const line = text.trim().split('\n')[0] ?? ''
  return line.length > 60 ? `${line.slice(0, 59).trimEnd()}…` : line
}
