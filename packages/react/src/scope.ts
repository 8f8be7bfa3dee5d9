'use client'
import { ConfigError, type SessionPreload, type SessionView, type ViewedSession } from '@stepwell/sdk/view'
import { createContext, useContext, useState } from 'react'
import type { SessionSource } from './session-source.ts'
import { useLatest } from './use-latest.ts'
import { type Views, viewOfSession, viewsOf } from './views.ts'

/** Which session is meant. Give one of `client`, `agent`, `session` and `view`, or none inside a provider that has one. */
export interface SessionTarget {
  /** A client of a server, made by `createClient`. */
  readonly client?: SessionSource
  /** An agent in this page, made by `createAgent`. */
  readonly agent?: SessionSource
  /** With a client or an agent. Absent: a new session, which its first command makes. */
  readonly sessionId?: string | undefined
  /** Told the id of a new session once it is made: for the address bar. */
  readonly onCreate?: (sessionId: string) => void
  readonly session?: ViewedSession
  /** A view of your own, for instance with another schedule or window. */
  readonly view?: SessionView
}

/** What a provider provides. */
export interface Scope {
  readonly source: SessionSource | undefined
  readonly views: Views | undefined
  /** Made when a hook first asks for it: a preload may come in between. */
  readonly view: () => SessionView
}

export const ScopeContext = createContext<Scope | undefined>(undefined)

/** The scope of a target. The same as long as the target is: a draft too. */
export function useTarget(target: SessionTarget, preload?: SessionPreload): Scope {
  const outer = useContext(ScopeContext)
  const { session, view, sessionId } = target
  const source = target.client ?? target.agent ?? outer?.source
  const shared = source === outer?.source ? outer?.views : undefined
  const onCreate = useLatest(target.onCreate)
  const parts = [source, shared, session, view, sessionId, preload]
  const make = (): readonly [parts: readonly unknown[], scope: Scope] => {
    const views = shared ?? (source && viewsOf(source))
    let made = view
    const find = (): SessionView => {
      if (session) return viewOfSession(session)
      if (!views) throw noProvider()
      return sessionId === undefined ? views.draft((id) => onCreate.current?.(id)) : views.of(sessionId, preload)
    }
    const lazily = (): SessionView => {
      made ??= find()
      return made
    }
    return [parts, { source, views, view: lazily }]
  }
  // Not `useMemo`, which may forget: a draft would be another one.
  const [[known, scope], setKnown] = useState(make)
  if (parts.every((part, i) => part === known[i])) return scope
  const next = make()
  setKnown(next)
  return next[1]
}

/** The scope of a hook: of what it is given, or else the provider's. */
export function useScope(): Scope {
  const scope = useContext(ScopeContext)
  if (scope === undefined) throw noProvider()
  return scope
}

/** The view that a hook reads. */
export function useView(): SessionView {
  return useScope().view()
}

function noProvider(): ConfigError {
  return new ConfigError(
    'config.invalid',
    'No session here: put an <AgentProvider> with a client, agent, session or view around it.',
  )
}
