'use client'
import type { ExternalStoreThreadListAdapter } from '@assistant-ui/react'
import type { ErrorInfo, SessionRow } from '@stepwell/sdk'
import type { SessionSnapshot, SessionView } from '@stepwell/sdk/view'
import { useEffect, useMemo, useRef } from 'react'
import type { SessionSource } from '../session-source.ts'
import { useLatest } from '../use-latest.ts'
import { useSessionsOf } from '../use-session-list.ts'

const REGULAR = { limit: 200 } as const
const ARCHIVED = { limit: 200, archived: true } as const

export type SwitchThread = (sessionId: string | undefined) => void

/**
 * The sessions of the source as assistant-ui's threads. Without `onSwitch` there is only the one that is shown, and no
 * list is read.
 */
export function useThreads(
  source: SessionSource | undefined,
  view: SessionView,
  { id, row }: SessionSnapshot,
  onSwitch: SwitchThread | undefined,
  onError: ((error: ErrorInfo) => void) | undefined,
): ExternalStoreThreadListAdapter {
  const hasList = onSwitch !== undefined
  const listed = hasList ? source : undefined
  const regular = useSessionsOf(listed, REGULAR)
  const archived = useSessionsOf(listed, ARCHIVED)
  const lists = useLatest({ regular, archived, onSwitch, onError })
  const threadId = threadIdOf(view)
  const shownId = id === '' ? undefined : id

  const actions = useMemo(() => {
    const refresh = () => Promise.all([lists.current.regular.refresh(), lists.current.archived.refresh()])
    const leave = (left: string) => {
      if (left === threadId) lists.current.onSwitch?.(undefined)
    }
    const idOf = (thread: string) => (thread === threadId ? (shownId ?? thread) : thread)
    const archive = async (thread: string, isArchived: boolean) => {
      await lists.current.regular.archive(idOf(thread), isArchived)
      await lists.current.archived.refresh()
    }
    return {
      refresh,
      of: {
        onSwitchToNewThread: () => lists.current.onSwitch?.(undefined),
        onSwitchToThread: (thread: string) => lists.current.onSwitch?.(idOf(thread)),
        onRename: (thread: string, title: string) => lists.current.regular.rename(idOf(thread), title),
        async onArchive(thread: string) {
          await archive(thread, true)
          leave(thread)
        },
        onUnarchive: (thread: string) => archive(thread, false),
        async onDelete(thread: string) {
          await lists.current.regular.remove(idOf(thread))
          await lists.current.archived.refresh()
          leave(thread)
        },
      },
    }
  }, [lists, threadId, shownId])

  // A session that was just made, or named, is in no list that was read before. Read once for each name: it may be in none.
  const { title } = row
  const { refresh } = actions
  const { isLoading, sessions } = regular
  const isListed = sessions.some((one) => one.id === shownId && one.title === title)
  const asked = useRef('')
  useEffect(() => {
    const wanted = `${shownId}: ${title}`
    if (!hasList || shownId === undefined || isLoading || isListed || asked.current === wanted) return
    asked.current = wanted
    void refresh()
  }, [hasList, shownId, title, isLoading, isListed, refresh])

  const error = regular.error ?? archived.error
  useEffect(() => {
    if (error !== undefined) lists.current.onError?.(error)
  }, [error, lists])

  return useMemo(() => {
    if (!hasList) return { threadId }
    const thread = <Status extends 'regular' | 'archived'>(status: Status) => {
      return ({ id, title }: SessionRow) => ({
        status,
        id: id === shownId ? threadId : id,
        remoteId: id,
        ...(title !== undefined && { title }),
      })
    }
    return {
      threadId,
      isLoading: regular.isLoading && regular.sessions.length === 0,
      threads: regular.sessions.map(thread('regular')),
      archivedThreads: archived.sessions.map(thread('archived')),
      ...actions.of,
    }
  }, [hasList, threadId, shownId, regular, archived, actions])
}

const threadIds = new WeakMap<SessionView, string>()
let drafts = 0

/** A thread keeps its id when its session is made: assistant-ui would take another one for another thread. */
function threadIdOf(view: SessionView): string {
  const known = threadIds.get(view)
  if (known !== undefined) return known
  const id = view.session.id === '' ? `draft-${++drafts}` : view.session.id
  threadIds.set(view, id)
  return id
}
