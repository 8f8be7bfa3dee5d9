import type { SessionRow } from '@stepwell/sdk'
import { oneLine } from './terminal/printable.ts'

/** One line for each session, newest first. */
export function sessionList(rows: readonly SessionRow[]): string {
  if (rows.length === 0) return 'There are no sessions yet.\n'
  return rows.map((row) => `${oneLine(row.id)}  ${when(row)}  ${oneLine(row.title ?? 'untitled', 60)}\n`).join('')
}

function when({ updatedAt, openRun }: SessionRow): string {
  const at = new Date(updatedAt).toISOString().slice(0, 16).replace('T', ' ')
  return openRun === undefined ? at : `${at}, open`
}
