import type { HostedSession } from '../../agent/host.ts'
import type { SessionStore } from '../../stores/store.ts'
import type { EventStream } from './event-stream.ts'
import { Follower } from './follower.ts'
import { Frame, messageFrame, type StreamKind } from './frame.ts'

export interface Subscription {
  readonly stream: EventStream
  readonly kind: StreamKind
  /** The seq the reader is at. */
  readonly after: number
  onFailure(thrown: unknown): void
  /** Nothing more comes of the session, and it is gone. */
  onGone(): void
  /** Nothing more comes of it from here. */
  onLetGo(): void
}

interface Entry extends Subscription {
  readonly follower: Follower
}

export interface ChannelWatcher {
  /** Its last reader left. */
  onEmpty(): void
  /** Whether the session is being deleted from here. */
  isDeleting(): boolean
}

/** One session and all its readers here: what it shows is written down once and sent to all of them. */
export class Channel {
  readonly session: HostedSession
  readonly #store: SessionStore
  readonly #entries = new Set<Entry>()
  readonly #unsubscribe: () => void
  readonly #watcher: ChannelWatcher

  constructor(session: HostedSession, store: SessionStore, watcher: ChannelWatcher) {
    this.session = session
    this.#store = store
    this.#watcher = watcher
    this.#unsubscribe = session.feed.subscribe(
      (_state, batch) => {
        const frame = new Frame(session.id, batch)
        for (const { follower } of this.#entries) follower.take(frame)
      },
      () => void this.#onClosed(),
    )
  }

  join(subscription: Subscription): void {
    const { stream, kind, after, onFailure } = subscription
    const { id: sessionId, feed } = this.session
    const follower = new Follower({ sessionId, feed, store: this.#store, stream, kind, after, onFailure })
    const entry: Entry = { ...subscription, follower }
    this.#entries.add(entry)
    stream.onRoom(() => follower.advance())
    stream.onClose(() => this.#leave(entry))
    follower.advance()
  }

  /** A heartbeat for each reader that has nothing else to read. */
  beat(): void {
    const { seq } = this.session.feed.state
    const frame = new Frame(this.session.id, { prev: seq, head: seq, events: [] })
    for (const { follower } of this.#entries) follower.beat(frame)
  }

  /** The session is not there any more. */
  gone(): void {
    for (const entry of [...this.#entries]) {
      const { stream, kind, onGone } = entry
      const { id } = this.session
      const message = { code: 'session.not-found', message: `There is no session "${id}".` }
      stream.write(messageFrame({ gone: message }, kind === 'several' ? id : undefined))
      this.#leave(entry)
      onGone()
    }
  }

  /** It was deleted, or is given up here: then its readers find it elsewhere. */
  async #onClosed(): Promise<void> {
    if (this.#watcher.isDeleting()) return this.gone()
    const row = await this.#store.get(this.session.id).catch(() => 'unknown' as const)
    if (row === undefined) return this.gone()
    for (const entry of [...this.#entries]) {
      this.#leave(entry)
      entry.onLetGo()
    }
  }

  #leave(entry: Entry): void {
    entry.follower.end()
    if (!this.#entries.delete(entry) || this.#entries.size > 0) return
    this.#unsubscribe()
    this.#watcher.onEmpty()
  }
}
