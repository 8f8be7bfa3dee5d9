import type { Clock } from '../protocol/clock.ts'
import type { SessionStore } from '../stores/store.ts'
import { HEAD_POLL_MS } from './defaults.ts'

export interface HeadWatcher {
  readonly id: string
  /** Whether the process is to stay alive for it. */
  isAwaited(): boolean
  /** Hears of the seq of the last stored event, or 0. Must not throw. */
  onHead(head: number): void
}

/** Looks once a second for what other processes stored: one question for all sessions that are watched here. */
export class Heads {
  readonly #watchers = new Set<HeadWatcher>()
  readonly #store: SessionStore
  readonly #clock: Clock
  readonly #onFailure: (thrown: unknown) => void
  #cancel: (() => void) | undefined
  #dueAt = 0
  #isLooking = false

  constructor(store: SessionStore, clock: Clock, onFailure: (thrown: unknown) => void) {
    this.#store = store
    this.#clock = clock
    this.#onFailure = onFailure
  }

  /** Returns what ends it. */
  watch(watcher: HeadWatcher): () => void {
    this.#watchers.add(watcher)
    this.plan()
    return () => {
      this.#watchers.delete(watcher)
      if (this.#watchers.size > 0) return
      this.#cancel?.()
      this.#cancel = undefined
    }
  }

  /** To be called when a watcher is awaited that was not. */
  plan(): void {
    if (this.#isLooking) return
    const now = this.#clock.now()
    if (this.#cancel === undefined) this.#dueAt = now + HEAD_POLL_MS
    else this.#cancel()
    const background = ![...this.#watchers].some((watcher) => watcher.isAwaited())
    this.#cancel = this.#clock.setTimer(() => void this.#look(), Math.max(0, this.#dueAt - now), { background })
  }

  async #look(): Promise<void> {
    this.#cancel = undefined
    this.#isLooking = true
    try {
      const heads = await this.#store.heads([...new Set([...this.#watchers].map(({ id }) => id))])
      for (const watcher of this.#watchers) watcher.onHead(heads[watcher.id] ?? 0)
    } catch (thrown) {
      this.#onFailure(thrown)
    }
    this.#isLooking = false
    if (this.#watchers.size > 0) this.plan()
  }
}
