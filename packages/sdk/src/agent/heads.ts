import type { Clock } from '../protocol/clock.ts'
import type { SessionStore } from '../stores/store.ts'
import { HEAD_POLL_MS } from './defaults.ts'

interface HeadWatcher {
  readonly id: string
  /** Whether the process is to stay alive for it. */
  isAwaited(): boolean
  /** Hears of the seq of the last stored event, or 0. Must not throw. */
  onHead(head: number): void
}

/** Looks once a second for what other processes stored: one question for all sessions that are watched here. */
export interface Heads {
  /** Returns what ends it. */
  watch(watcher: HeadWatcher): () => void
  /** To be called when a watcher is awaited that was not. */
  plan(): void
}

export function createHeads(store: SessionStore, clock: Clock, onFailure: (thrown: unknown) => void): Heads {
  const watchers = new Set<HeadWatcher>()
  let cancel: (() => void) | undefined
  let dueAt = 0
  let isLooking = false

  function plan(): void {
    if (isLooking) return
    const now = clock.now()
    if (cancel === undefined) dueAt = now + HEAD_POLL_MS
    else cancel()
    const background = ![...watchers].some((watcher) => watcher.isAwaited())
    cancel = clock.setTimer(() => void look(), Math.max(0, dueAt - now), { background })
  }

  async function look(): Promise<void> {
    cancel = undefined
    isLooking = true
    try {
      const heads = await store.heads([...new Set([...watchers].map(({ id }) => id))])
      for (const watcher of watchers) watcher.onHead(heads[watcher.id] ?? 0)
    } catch (thrown) {
      onFailure(thrown)
    }
    isLooking = false
    if (watchers.size > 0) plan()
  }

  return {
    watch(watcher) {
      watchers.add(watcher)
      plan()
      return () => {
        watchers.delete(watcher)
        if (watchers.size > 0) return
        cancel?.()
        cancel = undefined
      }
    },
    plan,
  }
}
