'use client'
import type { OpenRun } from '@stepwell/sdk'
import type { MessageItem, SessionSnapshot } from '@stepwell/sdk/view'
import { useContext, useMemo, useState, useSyncExternalStore } from 'react'
import { ScopeContext, type SessionTarget, useTarget } from './scope.ts'
import { serverViewOf } from './server-view.ts'
import { actionsOf, type SessionActions } from './session-actions.ts'

export interface AgentSessionResult extends Omit<SessionSnapshot, 'run' | 'queue'>, SessionActions {
  /** The open run. */
  readonly openRun?: OpenRun
  /** What is in the log, of `messages`: the same array while a reply streams. */
  readonly history: readonly MessageItem[]
}

const HERE: SessionTarget = {}

/**
 * All of a session, and all that can be done to it: of the provider's session, or of the one that is named. Renders anew
 * with everything that is published: once a frame while a reply streams. For long conversations use the hooks that read
 * a row each.
 */
export function useAgentSession(target?: SessionTarget): AgentSessionResult {
  const outer = useContext(ScopeContext)
  const own = useTarget(target ?? HERE)
  const view = (target === undefined && outer !== undefined ? outer : own).view()
  const snapshot = useSyncExternalStore(view.subscribe, view.getSnapshot, () => serverViewOf(view).getSnapshot())
  const [share] = useState(() => keepEqual<MessageItem>())
  return useMemo(() => {
    const { run, queue: _lanes, messages, ...shown } = snapshot
    const history = share(messages.filter(({ status }) => status === 'committed'))
    return { ...shown, ...(run && { openRun: run }), messages, history, ...actionsOf(view) }
  }, [snapshot, share, view])
}

/** The array before, as long as the new one holds the same. */
function keepEqual<T>(): (next: readonly T[]) => readonly T[] {
  let kept: readonly T[] = []
  return (next) => {
    if (next.length !== kept.length || next.some((item, i) => item !== kept[i])) kept = next
    return kept
  }
}
