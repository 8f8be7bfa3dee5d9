import type { Message } from './messages.ts'
import type { SessionState } from './state.ts'

/** What a reader can subscribe to. `list` is which messages there are, in which order: not what they say. */
export type CellKey =
  | 'list'
  | 'run'
  | 'queue'
  | 'requests'
  | 'usage'
  | 'tasks'
  | 'deliverables'
  | 'notices'
  | 'row'
  | 'activity'
  | `message:${string}`
  | `part:${string}/${number}`
  | `call:${string}`
  | `request:${string}`
  | `task:${string}`

/**
 * The cells that differ between two states of a session, by reference. A token wakes the one part that shows it; a result
 * wakes its part and its call; a message keeps its place in the list when it is committed.
 */
export function changedCells(prev: SessionState, next: SessionState): Set<CellKey> {
  const cells = new Set<CellKey>()
  if (prev === next) return cells
  if (prev.history !== next.history || prev.pending.message !== next.pending.message) compareMessages(prev, next, cells)
  if (prev.status !== next.status || prev.run !== next.run || prev.lastFinish !== next.lastFinish) cells.add('run')
  if (prev.pending.lanes !== next.pending.lanes) cells.add('queue')
  if (prev.usage !== next.usage) cells.add('usage')
  if (prev.deliverables !== next.deliverables) cells.add('deliverables')
  if (prev.notices !== next.notices) cells.add('notices')
  if (prev.row !== next.row) cells.add('row')
  if (prev.live.activity !== next.live.activity) cells.add('activity')
  if (prev.pending.requests !== next.pending.requests) {
    cells.add('requests')
    const before = new Set(prev.pending.requests)
    for (const request of next.pending.requests) if (!before.delete(request)) cells.add(`request:${request.id}`)
    for (const request of before) cells.add(`request:${request.id}`)
  }
  compareRecords(prev.live.calls, next.live.calls, (callId) => cells.add(`call:${callId}`))
  compareRecords(prev.pending.calls, next.pending.calls, (callId) => cells.add(`call:${callId}`))
  const task = (id: string) => cells.add(`task:${id}`).add('tasks')
  compareRecords(prev.tasks, next.tasks, task)
  compareRecords(prev.live.tasks, next.live.tasks, task)
  return cells
}

function compareMessages(prev: SessionState, next: SessionState, cells: Set<CellKey>): void {
  const before = prev.history.length + (prev.pending.message ? 1 : 0)
  const after = next.history.length + (next.pending.message ? 1 : 0)
  if (before !== after) cells.add('list')
  for (let i = 0; i < after; i++) {
    const old = prev.history[i] ?? (i < before ? prev.pending.message : undefined)
    const message = (next.history[i] ?? next.pending.message) as Message
    if (old === message) continue
    if (old?.id === message.id) {
      compareParts(old, message, cells)
    } else {
      cells.add('list').add(`message:${message.id}`)
    }
  }
}

function compareParts(old: Message, message: Message, cells: Set<CellKey>): void {
  if (old.role === 'note' || message.role === 'note') {
    cells.add(`message:${message.id}`)
    return
  }
  const { parts: oldParts, ...oldRest } = old
  const { parts, ...rest } = message
  const restChanged = Object.entries({ ...oldRest, ...rest }).some(
    ([key]) => oldRest[key as keyof typeof oldRest] !== rest[key as keyof typeof rest],
  )
  if (parts.length !== oldParts.length || restChanged) cells.add(`message:${message.id}`)
  parts.forEach((part, i) => {
    if (part === oldParts[i]) return
    cells.add(`part:${message.id}/${i}`)
    if (part.type === 'tool-call') cells.add(`call:${part.callId}`)
  })
}

function compareRecords<T>(
  prev: Readonly<Record<string, T>>,
  next: Readonly<Record<string, T>>,
  changed: (key: string) => void,
): void {
  if (prev === next) return
  for (const key in next) if (prev[key] !== next[key]) changed(key)
  for (const key in prev) if (!(key in next)) changed(key)
}
