'use client'
import type { Artifact, SessionState, Task } from '@stepwell/sdk'
import type { Connection, Older, SessionView } from '@stepwell/sdk/view'
import { useMemo } from 'react'
import { useView } from './scope.ts'
import { useCell } from './use-cell.ts'

/** Tokens and cost: of the open run or the last one, of the session, by model, and how full the context is. */
export function useUsage(): SessionState['usage'] {
  return useCell('usage', (view) => view.getSnapshot().usage)
}

/** How this page is connected to where the session lives. */
export function useConnection(): Connection {
  return useCell('connection', (view) => view.getSnapshot().connection)
}

/** Work beside the conversation. */
export function useTasks(): readonly Task[] {
  return useCell('tasks', (view) => view.getSnapshot().tasks)
}

/** Files that were presented. */
export function useDeliverables(): readonly Artifact[] {
  return useCell('deliverables', (view) => view.getSnapshot().deliverables)
}

export interface HistoryPager extends Older, Pick<SessionView, 'loadBefore'> {}

/** Whether there are older messages, and how to get them. */
export function useHistoryPager(): HistoryPager {
  const { loadBefore } = useView()
  const older = useCell('older', (view) => view.getSnapshot().older)
  return useMemo(() => ({ ...older, loadBefore }), [older, loadBefore])
}
