import type { AgentHost, HostedSession } from '../../agent/host.ts'
import { thrownText } from '../../protocol/errors.ts'

export interface RunKeeperOptions {
  readonly host: AgentHost
  readonly waitUntil: ((work: Promise<unknown>) => void) | undefined
  /** How long after its request a run is given up here. */
  readonly handOverMs: number | undefined
}

/** The runs at work here because of a request: what the host has to stay awake for, and what `close` waits for. */
export class RunKeeper {
  readonly #options: RunKeeperOptions
  readonly #kept = new Map<string, { readonly over: Promise<void>; readonly postpone: () => void }>()

  constructor(options: RunKeeperOptions) {
    this.#options = options
  }

  /** A request touched the session: its run, if one is at work here, lives at least as long as this request may. */
  keep(session: HostedSession): void {
    if (!session.isRunning) return
    const known = this.#kept.get(session.id)
    known?.postpone()
    const over = known?.over ?? this.#watch(session)
    this.#options.waitUntil?.(over)
  }

  /** Settles when no run is at work here, or after `ms`. */
  async idle(ms: number): Promise<void> {
    const { clock } = this.#options.host.runtime
    let cancel = (): void => {}
    const late = new Promise<void>((resolve) => {
      cancel = clock.setTimer(resolve, ms)
    })
    await Promise.race([Promise.all(Array.from(this.#kept.values(), ({ over }) => over)), late])
    cancel()
  }

  #watch(session: HostedSession): Promise<void> {
    const { host, handOverMs } = this.#options
    const { clock, logger } = host.runtime
    let cancel = (): void => {}
    const postpone = (): void => {
      cancel()
      if (handOverMs === undefined) return
      cancel = clock.setTimer(() => {
        host.handOver(session.id).catch((thrown: unknown) => {
          logger.log('error', 'A run could not be handed over', { error: thrownText(thrown) })
        })
      }, handOverMs)
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
