import type { EventStream } from './event-stream.ts'
import type { ServerSettings } from './options.ts'

/** The responses that are being written: each ends with its time, and all of them with the server. */
export class OpenStreams {
  readonly #endings = new Set<() => void>()
  readonly #settings: Pick<ServerSettings, 'host' | 'lifeMs'>

  constructor(settings: Pick<ServerSettings, 'host' | 'lifeMs'>) {
    this.#settings = settings
  }

  /** `letGo` ends the stream, and says why. */
  add(stream: EventStream, letGo: () => void): void {
    const { host, lifeMs } = this.#settings
    const cancel = lifeMs === undefined ? () => {} : host.runtime.clock.setTimer(letGo, lifeMs, { background: true })
    this.#endings.add(letGo)
    stream.onClose(() => {
      cancel()
      this.#endings.delete(letGo)
    })
  }

  close(): void {
    for (const letGo of [...this.#endings]) letGo()
  }
}
