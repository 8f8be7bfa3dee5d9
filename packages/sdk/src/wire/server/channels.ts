import type { AgentHost } from '../../agent/host.ts'
import { StepwellError, thrownText } from '../../protocol/errors.ts'
import { Channel, type Subscription } from './channel.ts'

/** The sessions that anyone here reads, and their heartbeat. */
export class Channels {
  readonly #host: AgentHost
  readonly #heartbeatMs: number
  readonly #channels = new Map<string, Channel>()
  readonly #deleting = new Set<string>()
  #cancelBeat: (() => void) | undefined
  #isLooking = false

  constructor(host: AgentHost, heartbeatMs: number) {
    this.#host = host
    this.#heartbeatMs = heartbeatMs
  }

  /** Rejects when the session cannot be opened. */
  async join(id: string, subscription: Subscription): Promise<void> {
    const session = await this.#host.open(id, { create: false })
    await session.lookAfter()
    if (!subscription.stream.isOpen) return
    let channel = this.#channels.get(id)
    // A session that was closed here meanwhile is another one now.
    if (channel === undefined || channel.session !== session) {
      const opened = new Channel(session, this.#host.runtime, {
        onEmpty: () => this.#forget(id, opened),
        isDeleting: () => this.#deleting.has(id),
      })
      channel = opened
      this.#channels.set(id, opened)
    }
    channel.join(subscription)
    this.#beatLater()
  }

  /** Deletes a session, and tells its readers that it is gone. */
  async delete(id: string, work: () => Promise<void>): Promise<void> {
    this.#deleting.add(id)
    try {
      await work()
    } finally {
      this.#deleting.delete(id)
    }
  }

  #forget(id: string, channel: Channel): void {
    if (this.#channels.get(id) === channel) this.#channels.delete(id)
    if (this.#channels.size > 0) return
    this.#cancelBeat?.()
    this.#cancelBeat = undefined
  }

  #beatLater(): void {
    this.#cancelBeat ??= this.#host.runtime.clock.setTimer(
      () => {
        this.#cancelBeat = undefined
        for (const channel of [...this.#channels.values()]) channel.beat()
        void this.#lookRound()
        if (this.#channels.size > 0) this.#beatLater()
      },
      this.#heartbeatMs,
      { background: true },
    )
  }

  /** Sessions that were deleted elsewhere are noticed by nobody else. */
  async #lookRound(): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    const { store, logger } = this.#host.runtime
    const channels = [...this.#channels]
    try {
      const heads = await store.heads(channels.map(([id]) => id))
      for (const [id, channel] of channels) if (heads[id] === undefined) channel.gone()
    } catch (thrown) {
      const code = thrown instanceof StepwellError ? { code: thrown.code } : {}
      logger.log('warn', 'The sessions that are read could not be looked up', { error: thrownText(thrown), ...code })
    } finally {
      this.#isLooking = false
    }
  }
}
