'use client'
import { ConfigError, type SessionPreload, type SessionView, type ViewedSession } from '@stepwell/sdk/view'
import { createContext, useCallback, useContext, useMemo, useState } from 'react'
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

/** The scope of a target. The same as long as the target is. */
export function useTarget(target: SessionTarget, preload?: SessionPreload): Scope {
  const outer = useContext(ScopeContext)
  const { session, view, sessionId } = target
  const source = target.client ?? target.agent ?? outer?.source
  const views = useMemo(() => (source === outer?.source ? outer?.views : source && viewsOf(source)), [source, outer])
  const makeDraft = useDraft(views, sessionId, target.onCreate)
  return useMemo((): Scope => {
    if (view !== undefined) return { source, views, view: () => view }
    if (session !== undefined) return { source, views, view: once(() => viewOfSession(session)) }
    if (views === undefined) return { source, views, view: missing }
    return { source, views, view: sessionId === undefined ? makeDraft : once(() => views.of(sessionId, preload)) }
  }, [view, session, source, views, sessionId, preload, makeDraft])
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

/** A draft for as long as no id is given, and another one whenever the id is taken away again. */
function useDraft(
  views: Views | undefined,
  sessionId: string | undefined,
  onCreate: ((sessionId: string) => void) | undefined,
): () => SessionView {
  const latest = useLatest(onCreate)
  const [slot, setSlot] = useState(() => makeSlot())
  const [shownId, setShownId] = useState(sessionId)
  if (shownId !== sessionId) {
    setShownId(sessionId)
    if (sessionId === undefined) setSlot(() => makeSlot())
  }
  return useCallback(() => slot(views, (id) => latest.current?.(id)), [slot, views, latest])
}

type Slot = (views: Views | undefined, onCreate: (sessionId: string) => void) => SessionView

/** The place of one draft. */
function makeSlot(): Slot {
  let made: { readonly of: Views; readonly view: SessionView } | undefined
  return (views, onCreate) => {
    if (views === undefined) throw noProvider()
    if (made?.of !== views) made = { of: views, view: views.draft(onCreate) }
    return made.view
  }
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

function missing(): never {
  throw noProvider()
}

function noProvider(): ConfigError {
  return new ConfigError(
    'config.invalid',
    'There is no session here: put an <AgentProvider> with a client, an agent, a session or a view around it.',
  )
}
