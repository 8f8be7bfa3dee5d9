import { cursorAt, type Position, pageSize, positionOf, searchable } from './rows.ts'
import type { Page, SessionQuery, SessionRow } from './store.ts'

/** The page of these rows that a query asks for. */
export function pageOf(all: readonly SessionRow[], query: SessionQuery): Page<SessionRow> {
  const size = pageSize(query)
  const start = query.cursor === undefined ? undefined : positionOf(query.cursor)
  const rows = all
    .filter((row) => matches(row, query) && (start === undefined || newestFirst(row, start) > 0))
    .sort(newestFirst)
  const items = rows.slice(0, size)
  const last = items.at(-1)
  return last && rows.length > size ? { items, next: cursorAt(last) } : { items }
}

function matches(row: SessionRow, query: SessionQuery): boolean {
  return (
    (row.archived ?? false) === (query.archived ?? false) &&
    (query.principal === undefined || row.principal === query.principal) &&
    (query.tenant === undefined || row.tenant === query.tenant) &&
    (query.parent === undefined || row.parent === query.parent) &&
    (query.search === undefined || searchable(row.title ?? '').includes(searchable(query.search)))
  )
}

function newestFirst(a: Position, b: Position): number {
  return b.updatedAt - a.updatedAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
}
