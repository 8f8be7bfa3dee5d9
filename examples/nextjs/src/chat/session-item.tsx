'use client'
import type { SessionList } from '@stepwell/react'
import type { SessionRow } from '@stepwell/sdk'
import Link from 'next/link'
import { usePathname, useRouter } from 'next/navigation'
import { type KeyboardEvent, type ReactNode, useState } from 'react'
import { Icon } from 'stepwell-example-chat-kit'

interface Props {
  readonly row: SessionRow
  readonly list: SessionList
  readonly isRenaming: boolean
  onRename(isOn: boolean): void
}

export function SessionItem({ row, list, isRenaming, onRename }: Props): ReactNode {
  const router = useRouter()
  const href = `/chat/${encodeURIComponent(row.id)}`
  const isCurrent = usePathname() === href
  const [isDeleting, setIsDeleting] = useState(false)
  const title = row.title ?? 'Untitled'

  async function remove(): Promise<void> {
    setIsDeleting(false)
    if (isCurrent) router.push('/chat')
    await list.remove(row.id)
  }

  if (isRenaming) return <RenameField title={title} onEnd={rename} />
  return (
    <li className="session" data-current={isCurrent}>
      <Link href={href} prefetch={false} aria-current={isCurrent ? 'page' : undefined} title={title}>
        <StatusDot row={row} />
        <bdi>{title}</bdi>
      </Link>
      {isDeleting ? (
        <span className="session-actions is-shown">
          <button type="button" className="text-button danger" onClick={() => void remove()}>
            Delete
          </button>
          <button type="button" className="icon-button small" aria-label="Keep it" onClick={() => setIsDeleting(false)}>
            <Icon name="close" />
          </button>
        </span>
      ) : (
        <span className="session-actions">
          <button
            type="button"
            className="icon-button small"
            aria-label={`Rename ${title}`}
            onClick={() => onRename(true)}
          >
            <Icon name="pencil" />
          </button>
          <button
            type="button"
            className="icon-button small"
            aria-label={`Delete ${title}`}
            onClick={() => setIsDeleting(true)}
          >
            <Icon name="trash" />
          </button>
        </span>
      )}
    </li>
  )

  function rename(next: string | undefined): void {
    onRename(false)
    if (next !== undefined && next !== '' && next !== row.title) void list.rename(row.id, next)
  }
}

function StatusDot({ row }: { readonly row: SessionRow }): ReactNode {
  if (row.openRun === undefined) return null
  const label = row.parked ? 'Waits for you' : 'Working'
  return (
    <span className="dot" data-state={row.parked ? 'waiting' : 'running'} role="img" aria-label={label} title={label} />
  )
}

function RenameField({ title, onEnd }: { readonly title: string; onEnd(title?: string): void }): ReactNode {
  const [text, setText] = useState(title)
  const onKeyDown = ({ key, nativeEvent }: KeyboardEvent): void => {
    if (nativeEvent.isComposing) return
    if (key === 'Enter') onEnd(text.trim())
    if (key === 'Escape') onEnd()
  }
  return (
    <li className="session">
      <input
        className="rename"
        aria-label="New title"
        dir="auto"
        value={text}
        ref={(field) => field?.focus()}
        onFocus={({ target }) => target.select()}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={onKeyDown}
        onBlur={() => onEnd(text.trim())}
      />
    </li>
  )
}
