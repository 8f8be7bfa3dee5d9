import { patched } from '../protocol/changes.ts'
import type { RowPatch, SessionRow } from './store.ts'

/** The row after an append: patched, `null` removing a field. */
export function patchRow(
  row: SessionRow,
  patch: RowPatch | undefined,
  last: { seq: number; at: number } | undefined,
): SessionRow {
  return patched(row, { ...patch, ...(last && { head: last.seq, updatedAt: last.at }) })
}
