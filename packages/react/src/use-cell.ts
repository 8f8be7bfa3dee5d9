'use client'
import type { SessionView, ViewCell } from '@stepwell/sdk/view'
import { useCallback, useSyncExternalStore } from 'react'
import { useView } from './scope.ts'
import { serverViewOf } from './server-view.ts'

/** Reads a cell of the session's view. `read` has to give the same value until the cell changes. */
export function useCell<T>(cell: ViewCell, read: (view: SessionView) => T): T {
  const view = useView()
  const subscribe = useCallback((listener: () => void) => view.subscribeCell(cell, listener), [view, cell])
  return useSyncExternalStore(
    subscribe,
    () => read(view),
    () => read(serverViewOf(view)),
  )
}
