import { InputError } from '../protocol/errors.ts'
import type { SessionQuery } from './store.ts'

const DEFAULT_PAGE = 50
const MAX_PAGE = 500

/** The form titles are compared in by `SessionQuery.search`. */
export function searchable(text: string): string {
  return text.toLowerCase()
}

export function pageSize(query: SessionQuery): number {
  const limit = query.limit ?? DEFAULT_PAGE
  if (!Number.isInteger(limit) || limit < 1) {
    throw new InputError('input.invalid', `A page has 1 to ${MAX_PAGE} sessions, not ${limit}.`)
  }
  return Math.min(limit, MAX_PAGE)
}

/** Where a page ended: rows are listed by `updatedAt`, newest first, then by `id`. */
export interface Position {
  readonly updatedAt: number
  readonly id: string
}

export function cursorAt(row: Position): string {
  return `${row.updatedAt}:${row.id}`
}

export function positionOf(cursor: string): Position {
  const [, updatedAt, id] = /^(-?\d+(?:\.\d+)?):(.+)$/s.exec(cursor) ?? []
  if (updatedAt === undefined || id === undefined) {
    throw new InputError('input.invalid', 'This cursor is not one a page ended with. Start again without a cursor.')
  }
  return { updatedAt: Number(updatedAt), id }
}
