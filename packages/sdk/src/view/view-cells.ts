import { type CellKey, changedCells } from '../protocol/cells.ts'
import type { RequestItem } from './open-requests.ts'
import type { OutboxEntry } from './outbox.ts'
import type { SessionSnapshot } from './snapshot.ts'

/** What can be subscribed to: the cells of a session's state, and those of what only the view knows. */
export type ViewCell = CellKey | 'outbox' | 'connection' | 'older'

/** The cells whose value differs. */
export function changedViewCells(prev: SessionSnapshot, next: SessionSnapshot): Set<ViewCell> {
  const cells: Set<ViewCell> = changedCells(prev.state, next.state)
  cells.delete('list')
  if (prev.messageIds !== next.messageIds) cells.add('list')
  if (prev.status !== next.status) cells.add('run')
  if (prev.connection !== next.connection) cells.add('connection')
  if (prev.older !== next.older) cells.add('older')
  if (prev.requests !== next.requests) compareRequests(prev.requests, next.requests, cells)
  compareReply(prev, next, cells)
  if (prev.outbox !== next.outbox) compareOutbox(prev.outbox, next.outbox, cells)
  return cells
}

/** A reply that is committed is another message to look at, even where it says the same. */
function compareReply(prev: SessionSnapshot, next: SessionSnapshot, cells: Set<ViewCell>): void {
  const before = prev.state.pending.message?.id
  const after = next.state.pending.message?.id
  if (before === after) return
  for (const id of [before, after]) if (id !== undefined) cells.add(`message:${id}`)
}

function compareRequests(prev: readonly RequestItem[], next: readonly RequestItem[], cells: Set<ViewCell>): void {
  cells.add('requests')
  const before = new Set(prev)
  for (const item of next) if (!before.delete(item)) cells.add(`request:${item.request.id}`)
  for (const { request } of before) cells.add(`request:${request.id}`)
}

function compareOutbox(prev: readonly OutboxEntry[], next: readonly OutboxEntry[], cells: Set<ViewCell>): void {
  cells.add('outbox')
  const before = new Map(prev.map((entry) => [entry.id, entry]))
  for (const entry of next) {
    const old = before.get(entry.id)
    before.delete(entry.id)
    if (old !== entry) cells.add(`message:${entry.id}`)
    if (old === undefined) addParts(entry, cells)
  }
  for (const entry of before.values()) {
    cells.add(`message:${entry.id}`)
    addParts(entry, cells)
  }
}

function addParts({ id, message }: OutboxEntry, cells: Set<ViewCell>): void {
  for (const i of message.parts.keys()) cells.add(`part:${id}/${i}`)
}
