'use client'
import type { ReactNode } from 'react'
import { ScopeContext, type SessionTarget, useTarget } from './scope.ts'

export interface AgentProviderProps extends SessionTarget {
  readonly children?: ReactNode
}

/** Gives the hooks below it their session. May stand inside another one, for instance around each of several threads. */
export function AgentProvider({ children, ...target }: AgentProviderProps): ReactNode {
  return <ScopeContext.Provider value={useTarget(target)}>{children}</ScopeContext.Provider>
}
