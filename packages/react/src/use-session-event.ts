'use client'
import type { AgentEvent, AgentEventType } from '@stepwell/sdk'
import { reportThrown, type SessionView } from '@stepwell/sdk/view'
import { useEffect, useRef } from 'react'
import { useView } from './scope.ts'
import { useLatest } from './use-latest.ts'

/**
 * Calls the handler of the last render with every event of this type that comes while the component is there: each
 * once, none from the history, also across reconnects. Never renders anew.
 */
export function useSessionEvent<T extends AgentEventType>(
  type: T,
  handler: (event: Extract<AgentEvent, { readonly type: T }>) => void,
): void {
  useSessionEvents((event) => {
    if (event.type === type) handler(event as Extract<AgentEvent, { readonly type: T }>)
  })
}

/** The same for every type. A handler that throws is reported as an event listener's would be. */
export function useSessionEvents(handler: (event: AgentEvent) => void): void {
  const view = useView()
  const latest = useLatest(handler)
  const told = useRef<{ readonly view: SessionView; seq: number } | undefined>(undefined)
  useEffect(() => {
    const { session } = view
    if (told.current?.view !== view) told.current = { view, seq: session.state.seq }
    const last = told.current
    return session.subscribe((_state, { events }) => {
      for (const event of events) {
        if (event.seq <= last.seq) continue
        last.seq = event.seq
        try {
          latest.current(event)
        } catch (thrown) {
          reportThrown(thrown)
        }
      }
    })
  }, [view, latest])
}
