import type { RowPatch, SessionRow } from './store.ts'

/** The row after an append: patched, `null` removing a field. */
export function patchRow(
  row: SessionRow,
  patch: RowPatch | undefined,
  last: { seq: number; at: number } | undefined,
): SessionRow {
  const patched: Record<string, unknown> = { ...row }
  for (const [field, value] of Object.entries(patch ?? {})) {
    if (value === null) delete patched[field]
    else if (value !== undefined) patched[field] = value
  }
  if (last) {
    patched.head = last.seq
    patched.updatedAt = last.at
  }
  return patched as unknown as SessionRow
}
