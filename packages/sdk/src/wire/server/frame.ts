import type { ErrorInfo } from '../../protocol/errors.ts'
import type { EventBatch } from '../../protocol/events.ts'

const encoder = new TextEncoder()

/** Streams of one session carry ids, for `Last-Event-ID`; streams of several name the session in each frame. */
export type StreamKind = 'one' | 'several'

/** A batch on its way out: turned into text once, and into bytes once for each kind of stream, however many read it. */
export class Frame {
  readonly batch: EventBatch
  readonly #sessionId: string
  #json: string | undefined
  #one: Uint8Array | undefined
  #several: Uint8Array | undefined

  constructor(sessionId: string, batch: EventBatch) {
    this.#sessionId = sessionId
    this.batch = batch
  }

  /** In characters of its JSON. */
  get size(): number {
    return this.#text.length
  }

  bytes(kind: StreamKind): Uint8Array {
    if (kind === 'one') {
      this.#one ??= encoder.encode(`id: ${this.batch.head}\ndata: ${this.#text}\n\n`)
      return this.#one
    }
    this.#several ??= encoder.encode(`data: {"session":${JSON.stringify(this.#sessionId)},${this.#text.slice(1)}\n\n`)
    return this.#several
  }

  get #text(): string {
    this.#json ??= JSON.stringify(this.batch)
    return this.#json
  }
}

type Message =
  | { readonly resync: true; readonly head: number }
  | { readonly gone: Pick<ErrorInfo, 'code' | 'message'> }
  | { readonly reconnect: number }

/** A frame without events. `sessionId` where the stream has several. */
export function messageFrame(message: Message, sessionId?: string): Uint8Array {
  return encoder.encode(
    `data: ${JSON.stringify({ ...(sessionId !== undefined && { session: sessionId }), ...message })}\n\n`,
  )
}

/** One frame of data each, as other protocols than ours have them. */
export function dataFrames(values: readonly object[]): Uint8Array {
  return encoder.encode(values.map((value) => `data: ${JSON.stringify(value)}\n\n`).join(''))
}
