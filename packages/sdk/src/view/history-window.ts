import { type ErrorInfo, errorInfo } from '../protocol/errors.ts'
import type { Message } from '../protocol/messages.ts'
import { itemOf, type MessageItem } from './message-item.ts'
import type { ViewedSession } from './viewed-session.ts'

/** The messages before the first one shown. */
export interface Older {
  /** Whether there are any. */
  readonly more: boolean
  readonly isLoading: boolean
  /** Why they could not be loaded. */
  readonly error?: ErrorInfo | undefined
}

export interface HistoryWindow {
  /** What is shown of a history: the same array as long as the history is, and begins at the same message. */
  look(history: readonly Message[]): { readonly history: readonly MessageItem[]; readonly older: Older }
  /** Never rejects: `older` tells what came of it. A second call while one is under way joins it. */
  loadBefore(): Promise<void>
}

/** The last messages of a history, and as many before them as were asked for. */
export function historyWindow(session: ViewedSession, size: number, onChange: () => void): HistoryWindow {
  let seen: readonly Message[] | undefined
  let shown: readonly MessageItem[] = []
  let start = 0
  /** How many more were asked for, to be shown at the next look. */
  let asked = 0
  let older: Older = { more: false, isLoading: false }
  let loading: Promise<void> | undefined

  /** Where it began before, or else so many messages before the end. */
  function startIn(history: readonly Message[]): number {
    const first = shown[0]?.id
    if (history[start]?.id === first) return start
    const moved = history.findIndex(({ id }) => id === first)
    return moved === -1 ? Math.max(0, history.length - size) : moved
  }

  async function load(): Promise<void> {
    let error: ErrorInfo | undefined
    if (start === 0 && session.hasBefore) {
      older = { more: true, isLoading: true }
      onChange()
      error = await session.loadBefore?.(size).then(() => undefined, errorInfo)
      older = { more: older.more, isLoading: false, error }
    }
    if (error === undefined) asked = size
    onChange()
  }

  return {
    look(history) {
      const next = Math.max(0, startIn(history) - asked)
      asked = 0
      if (history !== seen || next !== start) {
        shown = history.slice(next).map((message) => itemOf(message, 'committed'))
        seen = history
        start = next
      }
      const more = start > 0 || session.hasBefore === true
      if (more !== older.more) older = { ...older, more }
      return { history: shown, older }
    },
    loadBefore() {
      loading ??= load().finally(() => {
        loading = undefined
      })
      return loading
    },
  }
}
