import { type ErrorInfo, WireError } from '../../protocol/errors.ts'
import type { EventBatch } from '../../protocol/events.ts'
import { parsed } from './errors.ts'
import { type Http, unreachable } from './http.ts'

/** What one frame of a stream says. `session` is there on a stream of several. */
export type Frame =
  | ({ readonly session?: string } & EventBatch)
  | { readonly session?: string; readonly gone: Pick<ErrorInfo, 'code' | 'message'> }
  | { readonly session?: string; readonly resync: true; readonly head: number }
  | { readonly reconnect: number }

export interface StreamOptions {
  readonly path: string
  readonly signal: AbortSignal
  /** The server has answered. */
  onOpen?(): void
  /** Bytes came, whatever they say. */
  onBytes?(): void
}

/** Longest frame a server may send, in characters. */
const MAX_FRAME = 64 * 1024 * 1024

/** How a line begins that is a frame. It is JSON, which may have space around it: the CR of a CRLF too. */
const DATA = 'data:'

/**
 * The frames of a stream, those of one network read together, until it ends or is cut: then what was left of a frame is
 * dropped. Read no faster than they are asked for. Rejects like `Http.send`.
 */
export async function* streamFrames(http: Http, options: StreamOptions): AsyncGenerator<readonly Frame[]> {
  const { path, signal, onBytes } = options
  const response = await http.send({ method: 'GET', path, accept: 'text/event-stream', signal })
  if (!response.headers.get('content-type')?.includes('text/event-stream')) {
    await response.body?.cancel()
    throw new WireError('wire.protocol', 'The answer is no stream of events.')
  }
  options.onOpen?.()
  const decoder = new TextDecoder()
  /** The line that has not ended yet. */
  let rest = ''
  const reader = response.body?.getReader()
  try {
    for (;;) {
      const read = await reader?.read().catch((cause: unknown) => {
        signal.throwIfAborted()
        throw unreachable(cause)
      })
      if (read === undefined || read.done) return
      onBytes?.()
      const lines = decoder.decode(read.value, { stream: true }).split('\n')
      lines[0] = rest + lines[0]
      rest = lines.pop() ?? ''
      if (rest.length > MAX_FRAME) throw new WireError('wire.protocol', 'A frame never ended.')
      const frames = lines.filter((line) => line.startsWith(DATA)).map((line) => frameOf(line.slice(DATA.length)))
      if (frames.length > 0) yield frames
    }
  } finally {
    reader?.cancel().catch(() => {})
  }
}

function frameOf(data: string): Frame {
  const frame = parsed(data)
  if (typeof frame !== 'object' || frame === null || Array.isArray(frame))
    throw new WireError('wire.protocol', 'A frame is no JSON object.')
  return frame as unknown as Frame
}
