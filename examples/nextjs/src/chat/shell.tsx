'use client'
import { AgentProvider, useSessionList } from '@stepwell/react'
import type { SessionRow } from '@stepwell/sdk'
import { usePathname } from 'next/navigation'
import { type ReactNode, type RefObject, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { client } from './client.ts'
import { ShellContext } from './shell-context.ts'
import { Sidebar } from './sidebar.tsx'

interface Props {
  readonly user: { readonly id: string; readonly name: string }
  /** As the server knew them: shown until the page has read them itself. */
  readonly sessions: readonly SessionRow[]
  readonly children: ReactNode
}

export function Shell(props: Props): ReactNode {
  return (
    <AgentProvider client={client}>
      <Frame {...props} />
    </AgentProvider>
  )
}

function Frame({ user, sessions, children }: Props): ReactNode {
  const [search, setSearch] = useState('')
  const [isOpen, setIsOpen] = useState(false)
  const wanted = useDeferredValue(search)
  const list = useSessionList(wanted === '' ? {} : { search: wanted })
  const isFirst = list.isLoading && list.sessions.length === 0 && wanted === ''
  const { refresh } = list
  const closer = useFocusWhileOpen(isOpen)

  const pathname = usePathname()
  const [shownAt, setShownAt] = useState(pathname)
  if (shownAt !== pathname) {
    setShownAt(pathname)
    setIsOpen(false)
  }

  // Other windows change the list too.
  useEffect(() => {
    const read = (): void => void refresh()
    window.addEventListener('focus', read)
    return () => window.removeEventListener('focus', read)
  }, [refresh])

  const shell = useMemo(() => ({ refreshList: () => void refresh(), openSidebar: () => setIsOpen(true) }), [refresh])
  return (
    <ShellContext.Provider value={shell}>
      <div className="shell" data-sidebar={isOpen ? 'open' : 'closed'}>
        <Sidebar
          user={user}
          list={list}
          sessions={isFirst ? sessions : list.sessions}
          search={search}
          onSearch={setSearch}
          closer={closer}
          onClose={() => setIsOpen(false)}
        />
        <button
          type="button"
          className="scrim"
          aria-label="Close the list"
          tabIndex={-1}
          onClick={() => setIsOpen(false)}
        />
        <div className="content" inert={isOpen}>
          {children}
        </div>
      </div>
    </ShellContext.Provider>
  )
}

/** Of what has the focus while the list covers the conversation. Afterwards it is back where it was. */
function useFocusWhileOpen(isOpen: boolean): RefObject<HTMLButtonElement | null> {
  const target = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!isOpen) return
    target.current?.focus()
    return () => document.querySelector<HTMLElement>('.header .only-phone')?.focus()
  }, [isOpen])
  return target
}
