import { expect, test } from 'vitest'
import type { SseFrame } from './frames.ts'
import type { ModelEvent } from './provider.ts'
import { type Translator, translated } from './translated.ts'

/** Says what it reads; `!` is an error, `.` the end. */
class Echo implements Translator {
  finished = false
  isLast({ data }: SseFrame): boolean {
    return data === '.'
  }
  push({ data }: SseFrame, events: ModelEvent[]): void {
    if (data === '!') throw new Error('broken')
    if (data === '.') this.finished = true
    events.push({ type: 'text', part: 0, text: data })
  }
  end(events: ModelEvent[]): void {
    events.push({ type: 'done', stop: 'unknown' })
  }
}

const target = { id: 'p', capabilities: {} }

async function texts(...reads: string[]): Promise<unknown[]> {
  const said: unknown[] = []
  async function* frames() {
    for (const read of reads) yield [...read].map((data) => ({ data }))
  }
  try {
    for await (const events of translated(frames(), new Echo(), { target })) {
      said.push(events.map((event) => (event.type === 'text' ? event.text : event.type)).join(''))
    }
  } catch (error) {
    said.push(error)
  }
  return said
}

test('each read is one array, also an empty one', async () => {
  expect(await texts('', 'ab', '', 'c')).toEqual(['', 'ab', '', 'c', 'done'])
})

test('what came before an error is given before it', async () => {
  expect(await texts('ab!c')).toEqual(['ab', new Error('broken')])
  expect(await texts('a', '!')).toEqual(['a', new Error('broken')])
})

test('nothing after the end counts', async () => {
  expect(await texts('a.b', 'c')).toEqual(['a.'])
})
