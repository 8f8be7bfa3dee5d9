import type { AssistantPart, Message, ToolCallPart, UserPart } from './messages.ts'
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

/** Fields of the state that are a cell each. */
const FIELDS = ['usage', 'deliverables', 'notices', 'row'] as const

/**
 * The cells that differ between two states of a session, by reference. A token wakes the one part that shows it; a result
 * wakes its part and its call; a message keeps its place in the list when it is committed.
 */
export function changedCells(prev: SessionState, next: SessionState): Set<CellKey> {
  const cells = new Set<CellKey>()
  if (prev === next) return cells
  if (prev.history !== next.history || prev.pending.message !== next.pending.message) compareMessages(prev, next, cells)
  if (prev.status !== next.status || prev.run !== next.run) cells.add('run')
  if (prev.lastFinish !== next.lastFinish || prev.live.fault !== next.live.fault) cells.add('run')
  if (prev.pending.lanes !== next.pending.lanes) cells.add('queue')
  for (const field of FIELDS) if (prev[field] !== next[field]) cells.add(field)
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
  // While a reply streams the history is the same array: the work does not grow with it.
  const sameHistory = prev.history === next.history
  const before = shownMessages(prev, sameHistory)
  const after = shownMessages(next, sameHistory)
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let cut = 0
  const shorter = Math.min(before.length, after.length) - start
  while (cut < shorter && before[before.length - 1 - cut] === after[after.length - 1 - cut]) cut++
  const gone = new Map<string, Message>()
  for (const message of before.slice(start, before.length - cut)) gone.set(message.id, message)
  if (before.length !== after.length) cells.add('list')
  for (let i = start; i < after.length - cut; i++) {
    const message = after[i] as Message
    const old = gone.get(message.id)
    gone.delete(message.id)
    if (before[i]?.id !== message.id) cells.add('list')
    if (old !== message) compareMessage(old, message, cells)
  }
  for (const message of gone.values()) compareMessage(message, undefined, cells)
}

function shownMessages({ history, pending }: SessionState, pendingOnly: boolean): readonly Message[] {
  const reply = pending.message ? [pending.message] : []
  return pendingOnly ? reply : [...history, ...reply]
}

function compareMessage(old: Message | undefined, message: Message | undefined, cells: Set<CellKey>): void {
  const { id } = (message ?? old) as Message
  if (!old || !message || !sameStructure(old, message)) cells.add(`message:${id}`)
  const oldParts = partsOf(old)
  const parts = partsOf(message)
  for (let i = 0; i < Math.max(oldParts.length, parts.length); i++) {
    const was = oldParts[i]
    const is = parts[i]
    if (was === is) continue
    cells.add(`part:${id}/${i}`)
    if (was?.type === 'tool-call') cells.add(`call:${was.callId}`)
    if (is?.type === 'tool-call') cells.add(`call:${is.callId}`)
  }
}

function partsOf(message: Message | undefined): readonly (UserPart | AssistantPart)[] {
  return message === undefined || message.role === 'note' ? [] : message.parts
}

/** The same but for what its parts say. */
function sameStructure(old: Message, message: Message): boolean {
  const { length } = partsOf(message)
  if (partsOf(old).length !== length || Object.keys(old).length !== Object.keys(message).length) return false
  for (const key in message) {
    if (key !== 'parts' && old[key as keyof Message] !== message[key as keyof Message]) return false
  }
  return partsOf(message).every((part, i) => {
    const was = partsOf(old)[i]
    return was?.type === part.type && (part.type !== 'tool-call' || part.callId === (was as ToolCallPart).callId)
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
