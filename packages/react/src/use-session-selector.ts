'use client'
import type { SessionSnapshot } from '@stepwell/sdk/view'
import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import { useView } from './scope.ts'

/**
 * Any slice of the session. Renders anew when `isEqual` (default `Object.is`) says that the slice is another one: a
 * selector that makes a new object each time needs one that looks inside.
 */
export function useSessionSelector<T>(
  select: (snapshot: SessionSnapshot) => T,
  isEqual: (a: T, b: T) => boolean = Object.is,
): T {
  const view = useView()
  const rendered = useRef<{ readonly value: T } | undefined>(undefined)
  const [read, readServer] = useMemo(() => {
    const selection = memoised(select, isEqual, () => rendered.current)
    return [() => selection(view.getSnapshot()), () => selection(view.getServerSnapshot())]
  }, [view, select, isEqual])
  const value = useSyncExternalStore(view.subscribe, read, readServer)
  useEffect(() => {
    rendered.current = { value }
  }, [value])
  return value
}

/** Selects once for each snapshot, and keeps the value before where it is equal. */
function memoised<T>(
  select: (snapshot: SessionSnapshot) => T,
  isEqual: (a: T, b: T) => boolean,
  rendered: () => { readonly value: T } | undefined,
): (snapshot: SessionSnapshot) => T {
  let known: { readonly of: SessionSnapshot; readonly value: T } | undefined
  return (snapshot) => {
    if (known?.of === snapshot) return known.value
    const before = known ?? rendered()
    const next = select(snapshot)
    known = { of: snapshot, value: before !== undefined && isEqual(before.value, next) ? before.value : next }
    return known.value
  }
}
