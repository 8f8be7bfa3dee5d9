import type { Feed } from './feed.ts'
import { SharedStream, type StreamOptions } from './stream.ts'

/** The streams of a client: one, as long as its sessions fit on it. */
export class SharedStreams {
  readonly #options: StreamOptions
  readonly #streams: SharedStream[] = []

  constructor(options: StreamOptions) {
    this.#options = options
  }

  /** Gives what is to be called when nobody listens to the session any more. */
  attach(feed: Feed): () => void {
    const found = this.#streams.find((stream) => stream.has(feed)) ?? this.#streams.find((stream) => !stream.isFull)
    if (found !== undefined) return found.attach(feed)
    const stream = new SharedStream(this.#options)
    this.#streams.push(stream)
    return stream.attach(feed)
  }

  close(): void {
    for (const stream of this.#streams) stream.close()
  }
}
