import type { EventStream } from './event-stream.ts'
import type { ServerSettings } from './options.ts'

type LetGo = (stream: EventStream) => void

/** The responses that are being written: each ends with its time, and all of them with the server. */
export class OpenStreams {
  readonly #open = new Map<EventStream, LetGo>()
  readonly #timers = new Map<EventStream, () => void>()
  readonly #settings: Pick<ServerSettings, 'host' | 'lifeMs'>
  #isClosed = false

  constructor(settings: Pick<ServerSettings, 'host' | 'lifeMs'>) {
    this.#settings = settings
  }

  /** `letGo` ends the stream, and says why: at once where its request was under way as the others ended. */
  add(stream: EventStream, letGo: LetGo): void {
    if (this.#isClosed) return letGo(stream)
    const { host, lifeMs } = this.#settings
    if (lifeMs !== undefined) {
      const cancel = host.runtime.clock.setTimer(() => letGo(stream), lifeMs, { background: true })
      this.#timers.set(stream, cancel)
    }
    this.#open.set(stream, letGo)
    stream.onEnd(this.#forget)
  }

  close(): void {
    this.#isClosed = true
    for (const [stream, letGo] of [...this.#open]) letGo(stream)
  }

  readonly #forget = (stream: EventStream): void => {
    this.#timers.get(stream)?.()
    this.#timers.delete(stream)
    this.#open.delete(stream)
  }
}
