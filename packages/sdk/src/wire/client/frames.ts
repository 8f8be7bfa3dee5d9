import { errorOf, StepwellError } from '../../protocol/errors.ts'
import type { EventBatch } from '../../protocol/events.ts'
import { parsed } from '../../protocol/parsed.ts'
import type { Environment } from './environment.ts'
import { unreachable } from './errors.ts'

/** What one frame of a stream says. `session` is there on a stream of several. */
export type Frame =
  | ({ readonly session?: string } & EventBatch)
  | { readonly session?: string; readonly gone: StepwellError }
  | { readonly session?: string; readonly resync: true; readonly head: number }
  | { readonly reconnect: number }

/** Longest frame a server may send, in characters. */
const MAX_FRAME = 64 * 1024 * 1024

/** How a line begins that is a frame. It is JSON, which may have space around it: the CR of a CRLF too. */
const DATA = 'data:'

/**
 * The frames of a stream, those of one network read together, until it ends or is cut: then what was left of a frame is
 * dropped. Read no faster than they are asked for. A server that is silent for too long is left as if it had asked for
 * that. Rejects like `Http.send`. `onOpen` is called when the server has answered.
 */
export async function* readFrames(
  send: (request: {
    readonly path: string
    readonly accept: string
    readonly signal: AbortSignal
  }) => Promise<Response>,
  { clock, network }: Environment,
  silenceMs: number,
  path: string,
  signal: AbortSignal,
  onOpen?: () => void,
): AsyncGenerator<readonly Frame[]> {
  const connection = new AbortController()
  const cut = (): void => connection.abort()
  /** When the server was asked for more; never, while nobody asks. */
  let askedAt = clock.now()
  let stopLooking: (() => void) | undefined
  /** One timer for all that is awaited: one for each read takes longer than the read. */
  function look(): void {
    const leftMs = Math.min(silenceMs, askedAt + silenceMs - clock.now())
    if (leftMs > 0) stopLooking = clock.setTimer(look, leftMs, { background: true })
    else cut()
  }
  signal.addEventListener('abort', cut)
  // Somebody looks at the page again: a heartbeat that is overdue need not be waited for.
  const offWake = network.onWake(() => clock.now() - askedAt > silenceMs / 2 && cut())
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  try {
    signal.throwIfAborted()
    look()
    const type = 'text/event-stream'
    const { body, headers } = await send({ path, accept: type, signal: connection.signal })
    reader = body?.getReader()
    if (!headers.get('content-type')?.includes(type)) {
      throw errorOf('wire.protocol', 'The answer is no stream.')
    }
    onOpen?.()
    const decoder = new TextDecoder()
    /** The line that has not ended yet. */
    let rest = ''
    while (reader) {
      askedAt = clock.now()
      const { done, value } = await reader.read()
      askedAt = Number.POSITIVE_INFINITY
      if (done) return
      const lines = decoder.decode(value, { stream: true }).split('\n')
      lines[0] = rest + lines[0]
      rest = lines.pop() ?? ''
      if (rest.length > MAX_FRAME) throw errorOf('wire.protocol', 'A frame never ended.')
      yield lines.filter((line) => line.startsWith(DATA)).map((line) => frameOf(line.slice(DATA.length)))
    }
  } catch (thrown) {
    signal.throwIfAborted()
    if (!connection.signal.aborted) throw thrown instanceof StepwellError ? thrown : unreachable(thrown)
    yield [{ reconnect: 0 }]
  } finally {
    cut()
    stopLooking?.()
    offWake()
    signal.removeEventListener('abort', cut)
    reader?.cancel().catch(() => {})
  }
}

function frameOf(data: string): Frame {
  const frame = parsed(data)
  if (typeof frame !== 'object' || frame === null || Array.isArray(frame)) {
    throw errorOf('wire.protocol', 'A frame is no object.')
  }
  const { gone } = frame as unknown as { gone?: { code: string; message: string } }
  return (gone ? { ...frame, gone: errorOf(gone.code, gone.message) } : frame) as unknown as Frame
}
