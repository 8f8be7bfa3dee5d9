'use client'
import { type RefObject, useInsertionEffect, useRef } from 'react'

/** What was rendered last: for handlers that are called later, and must not be those of an older render. */
export function useLatest<T>(value: T): RefObject<T> {
  const latest = useRef(value)
  useInsertionEffect(() => {
    latest.current = value
  })
  return latest
}
