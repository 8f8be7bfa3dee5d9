'use client'
import {
  type ThreadViewport,
  useAnnouncer,
  useMessageIds,
  useSession,
  useSessionEvent,
  useThreadViewport,
} from '@stepwell/react'
import type { ReactNode } from 'react'
import { Composer } from './composer.tsx'
import { ConnectionBanner } from './connection-banner.tsx'
import { DropZone } from './drop-zone.tsx'
import { Ending } from './ending.tsx'
import { Icon } from './icons.tsx'
import { MessageRow } from './message-row.tsx'
import { Older } from './older.tsx'
import { useShell } from './shell-context.ts'
import { ThreadHeader } from './thread-header.tsx'
import { Welcome } from './welcome.tsx'
import { titleOf } from './words.ts'
import { Working } from './working.tsx'

/** Before the page has its script: the end of the conversation is what is seen first. */
const TO_END = "document.querySelector('.viewport').scrollTop=1e9"

export function Thread(): ReactNode {
  const ids = useMessageIds()
  const viewport = useThreadViewport()
  const announcer = useAnnouncer()
  useListUpdates()
  return (
    <DropZone>
      <ThreadHeader />
      <ConnectionBanner />
      <div {...viewport.getViewportProps({ className: 'viewport' })}>
        <div {...viewport.getContentProps({ className: 'column' })}>
          {ids.length === 0 ? (
            <Welcome />
          ) : (
            <>
              <Older />
              {ids.map((id) => (
                <article key={id} {...viewport.getMessageProps(id, { className: 'message' })}>
                  <MessageRow id={id} />
                </article>
              ))}
              <Working />
              <Ending />
            </>
          )}
        </div>
      </div>
      <script>{TO_END}</script>
      <div className="dock">
        <ToEnd viewport={viewport} />
        <Composer />
      </div>
      <div className="unseen" {...announcer.getStatusProps()} />
      <div className="unseen" {...announcer.getAlertProps()} />
    </DropZone>
  )
}

function ToEnd({ viewport: { unread, getScrollButtonProps } }: { readonly viewport: ThreadViewport }): ReactNode {
  const news = unread === 0 ? undefined : `${unread} new`
  const label = `Jump to the latest message${news === undefined ? '' : `, ${news}`}`
  return (
    <button {...getScrollButtonProps({ className: 'to-end', 'aria-label': label })}>
      <Icon name="down" />
      {news && <span>{news}</span>}
    </button>
  )
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
