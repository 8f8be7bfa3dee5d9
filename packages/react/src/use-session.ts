'use client'
import type { SessionView } from '@stepwell/sdk/view'
import { useMemo } from 'react'
import { useView } from './scope.ts'
import { actionsOf, type SessionActions } from './session-actions.ts'

export interface SessionHandle extends SessionActions {
  readonly session: SessionView['session']
  readonly view: SessionView
}

/** The session and its actions. Renders nothing anew, whatever happens in the session. */
export function useSession(): SessionHandle {
  const view = useView()
  return useMemo(() => ({ session: view.session, view, ...actionsOf(view) }), [view])
}
