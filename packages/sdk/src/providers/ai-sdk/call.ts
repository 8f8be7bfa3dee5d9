import { ProviderError } from '../../protocol/errors.ts'
import { untilAborted } from '../endpoint.ts'
import { linger } from '../http.ts'
import type { Warning } from '../wire-tools.ts'
import { callFailure, isUnsupported, reportedFailure, streamFailure } from './failure.ts'
import type { SentMedia } from './files.ts'
import type { AISDKModel, ModelStream } from './model.ts'
import type { PreparedCall } from './request.ts'
import type { StreamPart } from './stream-part.ts'

interface CallRequest {
  readonly model: AISDKModel
  readonly signal: AbortSignal
  prepare(media: SentMedia): Promise<PreparedCall>
}

export interface OpenCall {
  readonly warnings: readonly Warning[]
  /** Reads the model's stream up to its last part. Yields after each read. */
  read(onPart: (part: StreamPart) => void): AsyncIterable<unknown>
  close(): void
}

/**
 * One call of a model. Throws the signal's reason when that is aborted, and otherwise a `StepwellError`, here and while
 * it is read. Whoever has it closes it.
 */
export async function openCall({ model, prepare, signal }: CallRequest): Promise<OpenCall> {
  const { provider } = model
  // Providers keep their listener on a signal until it is collected, so they get one of its own.
  const connection = new AbortController()
  let reader: ReadableStreamDefaultReader<StreamPart> | undefined
  let complete = false
  const close = () => {
    signal.removeEventListener('abort', close)
    if (complete) return
    reader?.cancel().catch(() => {})
    connection.abort()
  }
  signal.addEventListener('abort', close)

  const ask = async (media: SentMedia) => {
    const { options, warnings } = await untilAborted(signal, prepare(media))
    const asked = Promise.resolve(model.doStream({ ...options, abortSignal: connection.signal } as never))
    asked.then(({ stream }) => (signal.aborted ? stream.cancel() : undefined)).catch(() => {})
    const { stream, response } = await untilAborted(signal, asked)
    return { stream: stream as ModelStream['stream'], headers: response?.headers ?? {}, warnings }
  }

  async function* read(
    from: ReadableStreamDefaultReader<StreamPart>,
    onPart: (part: StreamPart) => void,
  ): AsyncGenerator<void> {
    let sentOutput = false
    for (;;) {
      const { done, value } = await from.read().catch(async (thrown: unknown) => {
        throw signal.aborted ? signal.reason : await streamFailure(thrown, { provider, sentOutput })
      })
      signal.throwIfAborted()
      if (done) return
      if (value.type === 'error') throw await reportedFailure(value.error, { provider, sentOutput })
      sentOutput ||= 'delta' in value || value.type === 'tool-call'
      if (value.type === 'finish') {
        complete = true
        linger(from)
      }
      onPart(value)
      yield
      if (complete) return
    }
  }

  try {
    signal.throwIfAborted()
    const { stream, headers, warnings } = await ask('all').catch((thrown: unknown) => {
      // It was thrown before anything was sent: the same again, without the files that this provider may not know.
      if (isUnsupported(thrown)) return ask('images')
      throw thrown
    })
    const opened = stream.getReader()
    reader = opened
    if (headers['content-type']?.includes('text/html')) throw webPage(provider)
    return { warnings, read: (onPart) => read(opened, onPart), close }
  } catch (thrown) {
    close()
    throw signal.aborted ? signal.reason : await callFailure(thrown, provider)
  }
}

function webPage(provider: string): ProviderError {
  return new ProviderError('provider.protocol', `${provider} answered with a web page. Check the base URL`)
}
