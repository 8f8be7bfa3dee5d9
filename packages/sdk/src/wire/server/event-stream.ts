import type { Context } from 'hono'
import type { Env } from './guard.ts'
import { SECURITY_HEADERS } from './security-headers.ts'

/** Bytes that wait for the network in one connection before its readers hold back. */
const QUEUE = { highWaterMark: 64 * 1024, size: (chunk: Uint8Array) => chunk.byteLength }

/** One for all streams: where nobody asks for the headers of a response, no host makes a copy for it. */
export const STREAM_INIT = {
  headers: {
    ...SECURITY_HEADERS,
    'content-type': 'text/event-stream',
    // A proxy neither keeps it nor compresses it: compressed, frames would wait for each other.
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  },
}

/** Whoever fills a stream. */
export interface StreamListener {
  /** There is room again. */
  onRoom(): void
  /** The connection ended, whoever ended it. Called once. */
  onClose(): void
}

/**
 * One connection: bytes out, as fast as they are read. There are many, and most are idle: so it is itself the source of
 * its body, and has no more to it than it needs.
 */
export class EventStream implements UnderlyingDefaultSource<Uint8Array> {
  readonly body: ReadableStream<Uint8Array>
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #listener: StreamListener | undefined
  #onEnd: ((stream: EventStream) => void) | undefined

  constructor() {
    this.body = new ReadableStream<Uint8Array>(this, QUEUE)
  }

  /** What carries it. */
  response(c: Context<Env>, init: { readonly headers: Record<string, string> } = STREAM_INIT): Response {
    c.set('hasSecurityHeaders', true)
    return new Response(this.body, init)
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

  /** One that comes too late hears at once that it is over. */
  listen(listener: StreamListener): void {
    if (!this.isOpen) return listener.onClose()
    const before = this.#listener
    this.#listener =
      before === undefined
        ? listener
        : {
            onRoom() {
              before.onRoom()
              listener.onRoom()
            },
            onClose() {
              before.onClose()
              listener.onClose()
            },
          }
  }

  /** For the one who keeps it, beside those who fill it. Called at once where it is over. */
  onEnd(callback: (stream: EventStream) => void): void {
    if (this.isOpen) this.#onEnd = callback
    else callback(this)
  }

  close(): void {
    const controller = this.#controller
    this.cancel()
    controller?.close()
  }

  /** Called by the body, as are the two below. */
  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#controller = controller
  }

  pull(): void {
    if (this.hasRoom) this.#listener?.onRoom()
  }

  cancel(): void {
    if (!this.isOpen) return
    this.#controller = undefined
    const listener = this.#listener
    this.#listener = undefined
    this.#onEnd?.(this)
    listener?.onClose()
  }
}
