'use client'
import { type CellValues, cellsOf, type ViewCell } from '@stepwell/sdk/view'
import { useCallback, useSyncExternalStore } from 'react'
import { useView } from './scope.ts'

/** Reads a cell of the session's view. `read` has to give the same value until the cell changes. */
export function useCell<T>(cell: ViewCell, read: (cells: CellValues) => T): T {
  const cells = cellsOf(useView())
  const subscribe = useCallback((listener: () => void) => cells.subscribe(cell, listener), [cells, cell])
  return useSyncExternalStore(
    subscribe,
    () => read(cells),
    () => read(cells.server),
  )
}
