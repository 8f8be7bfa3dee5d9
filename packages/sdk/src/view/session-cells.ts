import type { AssistantPart, UserPart } from '../protocol/messages.ts'
import type { Task } from '../protocol/tasks.ts'
import { addListener, type Listeners } from './listeners.ts'
import { type CallItem, type MessageOutline, Messages } from './messages.ts'
import type { RequestItem } from './open-requests.ts'
import type { SessionView } from './session-view.ts'
import type { SessionSnapshot } from './snapshot.ts'
import { changedViewCells, type ViewCell } from './view-cells.ts'

/** What is published, cell by cell. A value that is listened to stays the same as long as its cell does. */
export interface CellValues {
  getSnapshot(): SessionSnapshot
  /** Cell `message:<id>`. */
  getMessage(id: string): MessageOutline | undefined
  /** Cell `part:<id>/<i>`. */
  getPart(id: string, i: number): UserPart | AssistantPart | undefined
  /** Cell `call:<callId>`. */
  getCall(callId: string): CallItem | undefined
  /** Cell `request:<id>`. */
  getRequest(id: string): RequestItem | undefined
  /** Cell `task:<id>`. */
  getTask(id: string): Task | undefined
}

/** The cells of a view: who shows one of them is told of nothing else. */
export interface SessionCells extends CellValues {
  /** What was known when the view was made: for rendering on a server and hydrating from it. */
  readonly server: CellValues
  /** Called after publications in which the value of the cell is another one. Returns the removal. */
  subscribe(cell: ViewCell, listener: () => void): () => void
}

type CellSource = Pick<SessionView, 'getSnapshot' | 'getServerSnapshot' | 'subscribe'>

const cellsByView = new WeakMap<CellSource, SessionCells>()

/** The cells of a view, the same for everyone who asks. */
export function cellsOf(view: CellSource): SessionCells {
  let cells = cellsByView.get(view)
  if (cells === undefined) {
    cells = createCells(view)
    cellsByView.set(view, cells)
  }
  return cells
}

function createCells(view: CellSource): SessionCells {
  const listeners = new Map<ViewCell, Listeners>()
  /** Those that changed, and whose listeners are still to be told. */
  const changed = new Set<ViewCell>()
  const messages = new Messages()
  let shown = view.getSnapshot()
  let server: CellValues | undefined
  let leave: (() => void) | undefined

  function look(): SessionSnapshot {
    const next = view.getSnapshot()
    if (next === shown) return shown
    const prev = shown
    shown = next
    if (listeners.size === 0 && prev.state.history !== next.state.history) {
      // To make it anew costs less than to look for what did not change.
      messages.clear()
      return next
    }
    for (const cell of changedViewCells(prev, next)) {
      messages.forget(cell)
      if (listeners.has(cell)) changed.add(cell)
    }
    return next
  }

  function onPublication(): void {
    look()
    const told = [...changed].flatMap((cell) => [...(listeners.get(cell)?.keys() ?? [])])
    changed.clear()
    for (const listener of told) listener()
  }

  function stop(): void {
    leave?.()
    leave = undefined
    for (const ofCell of listeners.values()) ofCell.clear()
    listeners.clear()
    changed.clear()
  }

  return {
    ...valuesOf(look, messages),
    get server() {
      server ??= valuesOf(view.getServerSnapshot, new Messages())
      return server
    },
    subscribe(cell, listener) {
      leave ??= view.subscribe(onPublication, stop)
      // What changed before is no news.
      look()
      const ofCell: Listeners = listeners.get(cell) ?? new Map()
      listeners.set(cell, ofCell)
      const remove = addListener(ofCell, listener)
      return () => {
        remove()
        if (ofCell.size === 0 && listeners.get(cell) === ofCell) listeners.delete(cell)
        if (listeners.size === 0) stop()
      }
    },
  }
}

function valuesOf(getSnapshot: () => SessionSnapshot, messages: Messages): CellValues {
  return {
    getSnapshot,
    getMessage: (id) => messages.outline(getSnapshot(), id),
    getPart: (id, i) => messages.part(getSnapshot(), id, i),
    getCall: (callId) => messages.call(getSnapshot(), callId),
    getRequest: (id) => getSnapshot().requests.find(({ request }) => request.id === id),
    getTask: (id) => getSnapshot().tasks.find((task) => task.id === id),
  }
}
