'use client'
import type { SessionPreload } from '@stepwell/sdk/view'
import type { ReactNode } from 'react'
import { ScopeContext, useTarget } from './scope.ts'

export interface HydrateSessionProps {
  /** What `preloadSession` gave on the server. */
  readonly snapshot: SessionPreload
  readonly children?: ReactNode
}

/**
 * Shows a session as a server knew it, at once and on both sides alike, and follows it from there. Stands inside an
 * `AgentProvider` with a client or an agent. Where more is known of the session already, that is shown.
 */
export function HydrateSession({ snapshot, children }: HydrateSessionProps): ReactNode {
  const scope = useTarget({ sessionId: snapshot.state.id }, snapshot)
  return <ScopeContext.Provider value={scope}>{children}</ScopeContext.Provider>
}
