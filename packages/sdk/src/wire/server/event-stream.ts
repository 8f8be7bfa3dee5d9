/** Bytes that wait for the network in one connection before its readers hold back. */
const HIGH_WATER = 64 * 1024

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  // A proxy neither keeps it nor compresses it: compressed, frames would wait for each other.
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
}

/** One connection: bytes out, as fast as they are read. */
export class EventStream {
  readonly body: ReadableStream<Uint8Array>
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  readonly #onRoom = new Set<() => void>()
  readonly #onClose = new Set<() => void>()

  constructor() {
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        pull: () => this.#tellRoom(),
        cancel: () => this.#closed(),
      },
      { highWaterMark: HIGH_WATER, size: (chunk) => chunk.byteLength },
    )
  }

  /** What carries it, with further headers. */
  response(headers: Readonly<Record<string, string>> = {}): Response {
    return new Response(this.body, { headers: { ...HEADERS, ...headers } })
  }

  get isOpen(): boolean {
    return this.#controller !== undefined
  }

  /** Whether what is written now does not pile up. */
  get hasRoom(): boolean {
    return (this.#controller?.desiredSize ?? 0) > 0
  }

  /** Whoever writes looks for room first. */
  write(bytes: Uint8Array): void {
    this.#controller?.enqueue(bytes)
  }

  /** Called whenever there is room again, until the connection ends. */
  onRoom(callback: () => void): () => void {
    this.#onRoom.add(callback)
    return () => void this.#onRoom.delete(callback)
  }

  /** Called once, when the connection ends, whoever ends it. */
  onClose(callback: () => void): void {
    if (this.isOpen) this.#onClose.add(callback)
    else callback()
  }

  close(): void {
    const controller = this.#controller
    this.#closed()
    controller?.close()
  }

  #tellRoom(): void {
    for (const callback of [...this.#onRoom]) {
      if (!this.hasRoom) return
      callback()
    }
  }

  #closed(): void {
    if (!this.isOpen) return
    this.#controller = undefined
    this.#onRoom.clear()
    for (const callback of [...this.#onClose]) callback()
    this.#onClose.clear()
  }
}
