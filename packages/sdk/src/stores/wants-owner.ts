import type { SessionRow } from './store.ts'

interface Session {
  readonly row: SessionRow
  readonly inbox: ReadonlyMap<string, { readonly arrivedAt: number }>
}

/** Whether there is something to do for a session that nobody has: see `SessionStore.due`. */
export function wantsOwner({ row, inbox }: Session, now: number, olderThanMs: number): boolean {
  return (
    (row.openRun !== undefined && !row.parked) ||
    (row.wakeAt !== undefined && row.wakeAt <= now) ||
    [...inbox.values()].some((waiting) => waiting.arrivedAt <= now - olderThanMs)
  )
}
