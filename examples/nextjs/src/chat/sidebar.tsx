'use client'
import type { SessionList } from '@stepwell/react'
import type { SessionRow } from '@stepwell/sdk'
import Link from 'next/link'
import { type KeyboardEvent, type ReactNode, type RefObject, useState } from 'react'
import { Icon } from 'stepwell-example-chat-kit'
import { SessionItem } from './session-item.tsx'
import { ThemeToggle } from './theme-toggle.tsx'

interface Props {
  readonly user: { readonly id: string; readonly name: string }
  readonly list: SessionList
  readonly sessions: readonly SessionRow[]
  readonly search: string
  onSearch(search: string): void
  readonly closer: RefObject<HTMLButtonElement | null>
  onClose(): void
}

export function Sidebar({ user, list, sessions, search, closer, onSearch, onClose }: Props): ReactNode {
  const [renaming, setRenaming] = useState<string>()
  const onKeyDown = ({ key }: KeyboardEvent): void => {
    if (key === 'Escape' && renaming === undefined) onClose()
  }
  return (
    <aside className="sidebar" aria-label="Sessions" onKeyDown={onKeyDown}>
      <div className="sidebar-top">
        <Link className="brand" href="/chat" prefetch={false}>
          <span className="logo" aria-hidden="true" />
          Stepwell
        </Link>
        <button
          ref={closer}
          type="button"
          className="icon-button only-phone"
          aria-label="Close the list"
          onClick={onClose}
        >
          <Icon name="close" />
        </button>
      </div>
      <Link className="new-chat" href="/chat" prefetch={false}>
        <Icon name="plus" />
        New chat
      </Link>
      <label className="search">
        <Icon name="search" />
        <input
          type="search"
          aria-label="Search sessions"
          placeholder="Search"
          value={search}
          onChange={({ target }) => onSearch(target.value)}
        />
      </label>
      <nav className="sessions" aria-label="Your sessions">
        {sessions.length === 0 && <p className="hint">{search === '' ? 'Nothing yet.' : 'Nothing has this title.'}</p>}
        <ul>
          {sessions.map((row) => (
            <SessionItem
              key={row.id}
              row={row}
              list={list}
              isRenaming={renaming === row.id}
              onRename={(isOn) => setRenaming(isOn ? row.id : undefined)}
            />
          ))}
        </ul>
        {list.hasMore && (
          <button type="button" className="button quiet" onClick={() => void list.loadMore()}>
            More
          </button>
        )}
        {list.error && (
          <p className="hint" role="alert">
            {list.error.message}
          </p>
        )}
      </nav>
      <div className="sidebar-foot">
        <span className="avatar" data-user={user.id} aria-hidden="true">
          {user.name[0]}
        </span>
        <span className="who">{user.name}</span>
        {/* A whole page load: nothing of this person stays in memory. */}
        <a className="icon-button" href="/sign-in" aria-label="Switch person" title="Switch person">
          <Icon name="leave" />
        </a>
        <ThemeToggle />
      </div>
    </aside>
  )
}
