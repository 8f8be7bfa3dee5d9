import { type ThreadViewport, useAnnouncer, useMessageIds, useThreadViewport } from '@stepwell/react'
import type { ReactNode } from 'react'
import { Composer } from './composer.tsx'
import { ConnectionBanner } from './connection-banner.tsx'
import { DropZone } from './drop-zone.tsx'
import { Ending } from './ending.tsx'
import { type FileUrl, FileUrlContext } from './file-url.ts'
import { Files } from './files.tsx'
import { Header } from './header.tsx'
import { Icon } from './icons.tsx'
import { MessageRow } from './message-row.tsx'
import { Older } from './older.tsx'
import { Tasks } from './tasks.tsx'
import { Welcome } from './welcome.tsx'
import { Working } from './working.tsx'

export interface ThreadProps {
  /** The same function in every render. */
  readonly fileUrl: FileUrl
  /** Before the title: the way to what else the page has. */
  readonly headerStart?: ReactNode
}

/** A whole chat: everything in it is a hook of the session around it. */
export function Thread({ fileUrl, headerStart }: ThreadProps): ReactNode {
  const ids = useMessageIds()
  const viewport = useThreadViewport()
  const announcer = useAnnouncer()
  return (
    <FileUrlContext.Provider value={fileUrl}>
      <DropZone>
        <Header start={headerStart} />
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
                <Files />
                <Working />
                <Ending />
              </>
            )}
          </div>
        </div>
        <div className="dock">
          <ToEnd viewport={viewport} />
          <Tasks />
          <Composer />
        </div>
        <div className="unseen" {...announcer.getStatusProps()} />
        <div className="unseen" {...announcer.getAlertProps()} />
      </DropZone>
    </FileUrlContext.Provider>
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
