import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import type { ModelEvent } from '../provider.ts'
import { fromAISDK } from './from-ai-sdk.ts'
import type { AISDKModel } from './model.ts'
import type { StreamPart } from './stream-part.ts'

const REASON = new Error('stopped by the test')
const request = { messages: [], tools: [], settings: {}, bytes: () => Promise.reject(new Error('no bytes')) }

function modelOf(doStream: AISDKModel['doStream']): AISDKModel {
  return { specificationVersion: 'v3', provider: 'acme', modelId: 'm', supportedUrls: {}, doStream }
}

/** A stream that says this and then nothing more, and tells when it is let go. */
function endless(...parts: StreamPart[]) {
  let letGo = () => {}
  const cancelled = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const stream = new ReadableStream<StreamPart>({
    start: (controller) => {
      for (const part of parts) controller.enqueue(part)
    },
    cancel: () => letGo(),
  })
  return { stream, cancelled }
}

test('a model that never answers is left behind, and what it answers later is let go', async () => {
  const { stream, cancelled } = endless()
  let answer = (_: { stream: ReadableStream<StreamPart> }) => {}
  const answered = new Promise<{ stream: ReadableStream<StreamPart> }>((resolve) => {
    answer = resolve
  })
  const asked: AbortSignal[] = []
  const model = modelOf(((options: { abortSignal: AbortSignal }) => {
    asked.push(options.abortSignal)
    queueMicrotask(() => abort.abort(REASON))
    return answered
  }) as AISDKModel['doStream'])
  const abort = new AbortController()
  const reading = (async () => {
    for await (const _ of fromAISDK(model).stream(request, { signal: abort.signal }));
  })()
  await expect(reading).rejects.toBe(REASON)
  expect(asked.map(({ aborted }) => aborted)).toEqual([true])
  expect(getEventListeners(abort.signal, 'abort')).toEqual([])
  answer({ stream })
  await cancelled
})

test('a stream that goes silent ends with the signal', async () => {
  const { stream, cancelled } = endless({ type: 'text-delta', id: '0', delta: 'Hi' })
  const abort = new AbortController()
  const events: ModelEvent[] = []
  const reading = (async () => {
    for await (const read of fromAISDK(modelOf(async () => ({ stream }))).stream(request, { signal: abort.signal })) {
      events.push(...read)
      if (events.length > 0) queueMicrotask(() => abort.abort(REASON))
    }
  })()
  await expect(reading).rejects.toBe(REASON)
  await cancelled
  expect(events).toEqual([{ type: 'text', part: 0, text: 'Hi' }])
})

test('what comes after the end counts for nothing, and is let go', async () => {
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
  const { stream, cancelled } = endless(
    { type: 'finish', finishReason: 'stop', usage },
    { type: 'text-delta', id: '0', delta: 'and another thing' },
  )
  const events: ModelEvent[] = []
  const { signal } = new AbortController()
  for await (const read of fromAISDK(modelOf(async () => ({ stream }))).stream(request, { signal }))
    events.push(...read)
  expect(events.map(({ type }) => type)).toEqual(['done'])
  await cancelled
})
