import { useAnnouncer, useMessageIds, useThreadViewport } from '@stepwell/react'
import type { ReactNode } from 'react'
import { Banner } from './banner.tsx'
import { Composer } from './composer.tsx'
import { Empty } from './empty.tsx'
import { Ending } from './ending.tsx'
import { Files } from './files.tsx'
import { Header } from './header.tsx'
import { Icon } from './icons.tsx'
import { MessageRow } from './message-row.tsx'
import { Older } from './older.tsx'
import { Tasks } from './tasks.tsx'
import { Working } from './working.tsx'

/** A whole chat: everything in it is a hook of the session around it. */
export function Thread(): ReactNode {
  const ids = useMessageIds()
  const viewport = useThreadViewport()
  const announcer = useAnnouncer()
  return (
    <main className="thread">
      <Header />
      <Banner />
      <div {...viewport.getViewportProps({ className: 'viewport' })}>
        <div {...viewport.getContentProps({ className: 'column' })}>
          {ids.length === 0 ? (
            <Empty />
          ) : (
            <>
              <Older />
              {ids.map((id) => (
                <article key={id} {...viewport.getMessageProps(id, { className: 'message' })}>
                  <MessageRow id={id} />
                </article>
              ))}
              <Files />
              <Working />
              <Ending />
            </>
          )}
        </div>
      </div>
      <div className="dock">
        <button {...viewport.getScrollButtonProps({ className: 'to-end' })}>
          <Icon name="down" />
          {viewport.unread > 0 && <span>{viewport.unread} new</span>}
        </button>
        <Tasks />
        <Composer />
      </div>
      <div className="unseen" {...announcer.getStatusProps()} />
      <div className="unseen" {...announcer.getAlertProps()} />
    </main>
  )
}
