'use client'
import type { ErrorInfo, SessionPatch, SessionRow } from '@stepwell/sdk'
import { ConfigError, errorInfo } from '@stepwell/sdk/view'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useScope } from './scope.ts'
import type { SessionListQuery, SessionSource } from './session-source.ts'
import { useLatest } from './use-latest.ts'

export interface SessionList {
  /** Newest first. Those of the query before, until the first page of a new one is there. */
  readonly sessions: readonly SessionRow[]
  readonly isLoading: boolean
  /** Why the last thing that was asked for failed. */
  readonly error?: ErrorInfo
  readonly hasMore: boolean
  loadMore(): Promise<void>
  /** Reads the list anew. */
  refresh(): Promise<void>
  rename(id: string, title: string): Promise<void>
  archive(id: string, archived?: boolean): Promise<void>
  /** Deletes a session with everything in it. */
  remove(id: string): Promise<void>
}

interface Listed {
  readonly sessions: readonly SessionRow[]
  readonly next?: string
  readonly isLoading: boolean
  readonly error?: ErrorInfo
}

const EMPTY: Listed = { sessions: [], isLoading: true }

/** The sessions of the provider's client or agent. None of the functions rejects: `error` says what went wrong. */
export function useSessionList(query: SessionListQuery = {}): SessionList {
  return useSessionsOf(useSource(), query)
}

/** Those of a source. Without one there are none, and nothing can be done to them. */
export function useSessionsOf(
  source: SessionSource | undefined,
  { search, archived, limit }: SessionListQuery,
): SessionList {
  const [listed, setListed] = useState(EMPTY)
  // Only the answer to what was asked last counts.
  const asked = useRef(0)

  const read = useCallback(
    async (cursor?: string) => {
      if (source === undefined) return
      const own = ++asked.current
      setListed(({ error: _before, ...rest }) => ({ ...rest, isLoading: true }))
      try {
        const { items, next } = await source.sessions({ search, archived, limit, cursor })
        if (own !== asked.current) return
        setListed((before) => ({
          sessions: cursor === undefined ? items : [...before.sessions, ...items],
          ...(next !== undefined && { next }),
          isLoading: false,
        }))
      } catch (thrown) {
        if (own === asked.current) setListed((before) => ({ ...before, isLoading: false, error: errorInfo(thrown) }))
      }
    },
    [source, search, archived, limit],
  )

  useEffect(() => {
    void read()
    return () => {
      asked.current++
    }
  }, [read])

  // What is done may take longer than the query lasts.
  const latest = useLatest(read)
  const actions = useMemo(() => {
    const change = async (act: (source: SessionSource) => Promise<ErrorInfo | undefined>): Promise<void> => {
      if (source === undefined) return
      const error = await act(source).catch(errorInfo)
      if (error === undefined) await latest.current()
      else setListed((before) => ({ ...before, error }))
    }
    const update = (id: string, patch: SessionPatch) =>
      change(async (source) => (await (await source.session(id, { create: false })).update(patch)).error)
    return {
      refresh: () => latest.current(),
      rename: (id: string, title: string) => update(id, { title }),
      archive: (id: string, archived = true) => update(id, { archived }),
      remove: (id: string) => change((source) => source.delete(id).then(() => undefined)),
    }
  }, [latest, source])

  const { sessions, isLoading, error, next } = listed
  return useMemo(
    () => ({
      sessions,
      isLoading,
      ...(error && { error }),
      hasMore: next !== undefined,
      loadMore: async () => {
        if (next !== undefined) await read(next)
      },
      ...actions,
    }),
    [sessions, isLoading, error, next, read, actions],
  )
}

function useSource(): SessionSource {
  const { source } = useScope()
  if (source === undefined) {
    throw new ConfigError('config.invalid', 'A list of sessions needs an <AgentProvider> with a client or an agent.')
  }
  return source
}
