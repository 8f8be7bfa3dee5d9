import type { HostedSession } from '../../agent/host.ts'
import { within } from '../../agent/within.ts'
import { thrownText } from '../../protocol/errors.ts'
import type { ServerSettings } from './options.ts'

/** A host that waits for work is given up by a run when its own time is over. */
type RunKeeperSettings = Pick<ServerSettings, 'host' | 'waitUntil' | 'lifeMs'>

/** The runs at work here because of a request: what the host has to stay awake for, and what `close` waits for. */
export class RunKeeper {
  readonly #settings: RunKeeperSettings
  readonly #kept = new Map<string, { readonly over: Promise<void>; readonly postpone: () => void }>()

  constructor(settings: RunKeeperSettings) {
    this.#settings = settings
  }

  /** A request touched the session: its run, if one is at work here, lives at least as long as this request may. */
  keep(session: HostedSession): void {
    if (!session.isRunning) return
    const known = this.#kept.get(session.id)
    known?.postpone()
    const over = known?.over ?? this.#watch(session)
    this.#settings.waitUntil?.(over)
  }

  /** Settles when no run is at work here, or after `ms`. */
  idle(ms: number): Promise<void> {
    const { clock } = this.#settings.host.runtime
    return within(clock, ms, Promise.all(Array.from(this.#kept.values(), ({ over }) => over)))
  }

  #watch(session: HostedSession): Promise<void> {
    const { host, waitUntil, lifeMs } = this.#settings
    const { clock, logger } = host.runtime
    let cancel = (): void => {}
    const postpone = (): void => {
      cancel()
      if (waitUntil === undefined || lifeMs === undefined) return
      cancel = clock.setTimer(() => {
        host.handOver(session.id).catch((thrown: unknown) => {
          logger.log('error', 'A run could not be handed over', { error: thrownText(thrown) })
        })
      }, lifeMs)
    }
    postpone()
    const over = session
      .idle()
      .catch((thrown: unknown) => logger.log('error', 'A run could not be awaited', { error: thrownText(thrown) }))
      .finally(() => {
        cancel()
        this.#kept.delete(session.id)
      })
    this.#kept.set(session.id, { over, postpone })
    return over
  }
}
