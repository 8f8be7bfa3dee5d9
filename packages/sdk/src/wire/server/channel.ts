import type { HostedSession } from '../../agent/host.ts'
import type { AgentRuntime } from '../../agent/runtime.ts'
import { thrownText } from '../../protocol/errors.ts'
import type { EventStream } from './event-stream.ts'
import { type FollowedSession, Follower } from './follower.ts'
import { Frame, messageFrame, type StreamKind } from './frame.ts'
import { letGo } from './let-go.ts'

export interface Subscription {
  readonly stream: EventStream
  readonly kind: StreamKind
  /** The seq the reader is at. */
  readonly after: number
}

export interface ChannelWatcher {
  /** Its last reader left. */
  onEmpty(): void
  /** Whether the session is being deleted from here. */
  isDeleting(): boolean
}

/** One session and all its readers here: what it shows is written down once and sent to all of them. */
export class Channel implements FollowedSession {
  readonly session: HostedSession
  readonly #runtime: AgentRuntime
  readonly #followers = new Set<Follower>()
  readonly #unsubscribe: () => void
  readonly #watcher: ChannelWatcher

  constructor(session: HostedSession, runtime: AgentRuntime, watcher: ChannelWatcher) {
    this.session = session
    this.#runtime = runtime
    this.#watcher = watcher
    this.#unsubscribe = session.feed.subscribe(
      (_state, batch) => {
        const frame = new Frame(session.id, batch)
        for (const follower of this.#followers) follower.take(frame)
      },
      () => void this.#onClosed(),
    )
  }

  get store(): AgentRuntime['store'] {
    return this.#runtime.store
  }

  join({ stream, kind, after }: Subscription): void {
    const follower = new Follower(this, stream, kind, after)
    this.#followers.add(follower)
    stream.listen(follower)
    follower.onRoom()
  }

  /** A heartbeat for each reader that has nothing else to read. */
  beat(): void {
    const { seq } = this.session.feed.state
    const frame = new Frame(this.session.id, { prev: seq, head: seq, events: [] })
    for (const follower of this.#followers) follower.beat(frame)
  }

  /** The session is not there any more. */
  gone(): void {
    for (const follower of [...this.#followers]) {
      const { stream, kind } = follower
      const { id } = this.session
      const message = { code: 'session.not-found', message: `There is no session "${id}".` }
      stream.write(messageFrame({ gone: message }, kind === 'several' ? id : undefined))
      this.leave(follower)
      if (kind === 'one') stream.close()
    }
  }

  leave(follower: Follower): void {
    follower.end()
    if (!this.#followers.delete(follower) || this.#followers.size > 0) return
    this.#unsubscribe()
    this.#watcher.onEmpty()
  }

  onFailure({ stream }: Follower, thrown: unknown): void {
    this.#runtime.logger.log('error', 'A session could not be read', { error: thrownText(thrown) })
    letGo(stream, this.#runtime)
  }

  /** It was deleted, or is given up here: then its readers find it elsewhere. */
  async #onClosed(): Promise<void> {
    if (this.#watcher.isDeleting()) return this.gone()
    const row = await this.store.get(this.session.id).catch(() => 'unknown' as const)
    if (row === undefined) return this.gone()
    for (const follower of [...this.#followers]) {
      this.leave(follower)
      letGo(follower.stream, this.#runtime)
    }
  }
}
