'use client'
import type { OpenRun } from '@stepwell/sdk'
import type { SessionSnapshot } from '@stepwell/sdk/view'
import { useContext, useMemo, useSyncExternalStore } from 'react'
import { ScopeContext, type SessionTarget, useTarget } from './scope.ts'
import { actionsOf, type SessionActions } from './session-actions.ts'

export interface AgentSessionResult extends Omit<SessionSnapshot, 'run' | 'queue'>, SessionActions {
  /** The open run. */
  readonly openRun: OpenRun | undefined
}

/**
 * All of a session, and all that can be done to it: of the provider's session, or of the one that is named. Renders anew
 * with everything that is published: once a frame while a reply streams. For long conversations use the hooks that read
 * a row each.
 */
export function useAgentSession(target?: SessionTarget): AgentSessionResult {
  const outer = useContext(ScopeContext)
  const own = useTarget(target ?? {})
  const view = (target ? own : (outer ?? own)).view()
  const snapshot = useSyncExternalStore(view.subscribe, view.getSnapshot, view.getServerSnapshot)
  const actions = useMemo(() => actionsOf(view), [view])
  return useMemo(() => ({ ...snapshot, openRun: snapshot.run, ...actions }), [snapshot, actions])
}
