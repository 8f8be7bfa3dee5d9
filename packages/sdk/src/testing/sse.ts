import { createParser } from 'eventsource-parser'
import type { EventBatch } from '../protocol/events.ts'

/** What a stream of a server says, frame by frame. */
export interface SseFrame extends Partial<EventBatch> {
  readonly session?: string
  readonly resync?: true
  readonly gone?: { readonly code: string; readonly message: string }
  readonly reconnect?: number
  /** Of the frame, where it has one. */
  readonly eventId?: string
}

/** Reads a stream as it comes. Leaving the loop ends the connection. */
export async function* sseFrames(response: Response): AsyncGenerator<SseFrame> {
  if (response.body === null) return
  let frames: SseFrame[] = []
  const parser = createParser({
    onEvent: ({ data, id }) => frames.push({ ...JSON.parse(data), ...(id !== undefined && { eventId: id }) }),
  })
  const decoder = new TextDecoder()
  const reader = response.body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      frames = []
      parser.feed(decoder.decode(value, { stream: true }))
      yield* frames
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
