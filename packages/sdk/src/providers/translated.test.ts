import { expect, test, vi } from 'vitest'
import { ProviderError } from '../protocol/errors.ts'
import type { SseFrame } from './frames.ts'
import type { ModelEvent } from './provider.ts'
import { ReportedFailure } from './reported-failure.ts'
import { type Translator, translated } from './translated.ts'

/** Says what it reads; `!` is an error, `?` one that was reported, `.` the end. After `,` it is whole without its last frame. */
class Echo implements Translator {
  #whole = false
  push({ data }: SseFrame, events: ModelEvent[]): void {
    if (data === '!') throw new Error('broken')
    if (data === '?') throw new ReportedFailure('p', 'busy', true)
    if (data === ',') this.#whole = true
    events.push(data === '.' ? { type: 'done', stop: 'stop' } : { type: 'text', part: 0, text: data })
  }
  end(events: ModelEvent[]): void {
    if (this.#whole) events.push({ type: 'done', stop: 'unknown' })
  }
}

const target = { id: 'p', capabilities: {} }

async function texts(...reads: string[]): Promise<unknown[]> {
  const said: unknown[] = []
  async function* read(onFrame: (frame: SseFrame) => void) {
    for (const text of reads) {
      if (text === 'cut') throw new ProviderError('provider.stream-truncated', 'cut')
      if (text === 'idle') throw new ProviderError('provider.idle', 'idle')
      for (const data of text) onFrame({ data })
      yield
    }
  }
  try {
    for await (const events of translated(target, async () => ({ translator: new Echo(), read }))) {
      said.push(events.map((event) => (event.type === 'text' ? event.text : event.type)).join(''))
    }
  } catch (error) {
    said.push(error)
  }
  return said
}

test('each read is one array, also an empty one', async () => {
  expect(await texts('', 'ab', '', 'c')).toEqual(['', 'ab', '', 'c'])
})

test('what came before an error is given before it', async () => {
  expect(await texts('ab!c')).toEqual(['ab', new Error('broken')])
  expect(await texts('a', '!')).toEqual(['a', new Error('broken')])
})

test('what was reported is told apart late, and a passing failure where that cannot be loaded', async () => {
  const failure = { retryable: true, sentOutput: true, code: 'provider.overloaded' }
  expect(await texts('a?')).toEqual(['a', expect.objectContaining({ ...failure, message: 'busy' })])
  vi.doMock('./rare.ts', () => {
    throw new Error('Failed to fetch dynamically imported module')
  })
  const told = { ...failure, message: 'p reported a failure' }
  expect(await texts('a?')).toEqual(['a', expect.objectContaining(told)])
  vi.doUnmock('./rare.ts')
})

test('a connection that breaks behind a whole reply took nothing with it', async () => {
  expect(await texts('a', ',', 'cut')).toEqual(['a', ',', 'done'])
  expect(await texts('a,')).toEqual(['a,', 'done'])
  expect(await texts('a', 'cut')).toEqual(['a', expect.objectContaining({ code: 'provider.stream-truncated' })])
  expect(await texts('a,', 'idle')).toEqual(['a,', expect.objectContaining({ code: 'provider.idle' })])
})

test('nothing after the end counts', async () => {
  expect(await texts('a.b', 'c')).toEqual(['adone'])
})
