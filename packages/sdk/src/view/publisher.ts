import { flattenText } from './flat-text.ts'
import type { Schedule } from './frames.ts'
import { Listeners } from './listeners.ts'
import { Messages } from './messages.ts'
import { type Shown, type Sources, show } from './shown.ts'
import { type SessionSnapshot, snapshotOf } from './snapshot.ts'
import { changedViewCells, type ViewCell } from './view-cells.ts'

export interface PublisherOptions {
  readonly schedule: Schedule
  /** What is known now. What did not change has to be the same object. */
  look(prev?: Shown): Sources
  /** Begins to listen to the session. Returns the end of it. */
  follow(): () => void
  /** Whether the session is to be followed although nobody listens. */
  isWaiting(): boolean
}

/** Of those who want to hear of any change. */
const ANY = Symbol('any')

/** Holds what is published, and tells those it concerns. Follows the session only while somebody listens. */
export class Publisher {
  readonly messages = new Messages()
  readonly first: SessionSnapshot
  readonly #options: PublisherOptions
  readonly #listeners = new Listeners<ViewCell | typeof ANY>()
  #shown: Shown
  #snapshot: SessionSnapshot
  #unfollow: (() => void) | undefined
  #isDestroyed = false
  #isScheduled = false
  #cancel = (): void => {}

  constructor(options: PublisherOptions) {
    this.#options = options
    this.#shown = show(options.look())
    this.#snapshot = snapshotOf(this.#shown, this.messages)
    this.first = this.#snapshot
  }

  /** What is published. Nobody publishes while nobody listens: then it is what is known. */
  get shown(): Shown {
    if (this.#unfollow === undefined) this.publish()
    return this.#shown
  }

  get snapshot(): SessionSnapshot {
    if (this.#unfollow === undefined) this.publish()
    return this.#snapshot
  }

  subscribe(listener: () => void, cell: ViewCell | typeof ANY = ANY): () => void {
    this.#isDestroyed = false
    this.#follow()
    const remove = this.#listeners.add(cell, listener)
    return () => {
      remove()
      this.#release()
    }
  }

  /** Something changed that only the view knows. */
  changed(): void {
    if (this.#options.isWaiting()) this.#follow()
    this.publish()
  }

  publishSoon(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#cancel = this.#options.schedule(() => {
      if (this.#isScheduled) this.publish()
    })
  }

  publish(): void {
    this.#unschedule()
    const prev = this.#shown
    const sources = this.#options.look(prev)
    if (isSame(prev, sources)) return
    const next = show(sources, prev)
    const cells = changedViewCells(prev, next)
    for (const cell of cells) this.messages.forget(cell)
    flattenText(next.state.pending.message)
    this.#shown = next
    this.#snapshot = snapshotOf(next, this.messages)
    this.#listeners.notify([...cells, ANY])
    this.#release()
  }

  destroy(): void {
    this.#isDestroyed = true
    this.#listeners.clear()
    this.#stop()
  }

  #follow(): void {
    if (this.#unfollow !== undefined || this.#isDestroyed) return
    this.publish()
    this.#unfollow = this.#options.follow()
  }

  #release(): void {
    if (this.#unfollow !== undefined && this.#listeners.isEmpty && !this.#options.isWaiting()) this.#stop()
  }

  #stop(): void {
    this.#unschedule()
    this.#unfollow?.()
    this.#unfollow = undefined
  }

  #unschedule(): void {
    if (!this.#isScheduled) return
    this.#isScheduled = false
    this.#cancel()
  }
}

function isSame(prev: Sources, next: Sources): boolean {
  return (Object.keys(next) as (keyof Sources)[]).every((key) => prev[key] === next[key])
}
