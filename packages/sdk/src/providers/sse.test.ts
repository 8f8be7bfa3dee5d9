import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { SseFrame } from './frames.ts'
import { SseReader } from './sse.ts'

function read(...pieces: string[]): SseFrame[] {
  const reader = new SseReader()
  return pieces.flatMap((piece) => reader.push(piece))
}

test.each<[string, string, SseFrame[]]>([
  ['an event with a type', 'event: a\ndata: 1\n\n', [{ event: 'a', data: '1' }]],
  ['a type counts for one event', 'event: a\ndata: 1\n\ndata: 2\n\n', [{ event: 'a', data: '1' }, { data: '2' }]],
  ['several lines of data', 'data: a\ndata\ndata: b\n\n', [{ data: 'a\n\nb' }]],
  ['one blank after the colon is no data', 'data:a\n\ndata:  b\n\n', [{ data: 'a' }, { data: ' b' }]],
  ['a colon in the data', 'data: {"a":1}\n\n', [{ data: '{"a":1}' }]],
  ['comments and other fields', ': hi\nid: 7\nretry: 10\ndata: x\n\n', [{ data: 'x' }]],
  ['nothing without data', 'event: ping\n\n\n\n', []],
  ['a byte order mark', '\uFEFFdata: x\n\n', [{ data: 'x' }]],
  ['every end of line', 'data: a\r\n\r\ndata: b\r\rdata: c\n\n', [{ data: 'a' }, { data: 'b' }, { data: 'c' }]],
  ['no event before its blank line', 'data: x\n', []],
])('%s', (_, text, frames) => expect(read(text)).toEqual(frames))

test('however the text is cut, the events are the same', () => {
  const line = fc.constantFrom('data: a', 'data: b\u{1F600}', 'data', 'event: e', ': c', 'id: 1', '')
  const text = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')).map(([content, end]) => content + end))
  const cuts = fc.array(fc.nat(200))
  fc.assert(
    fc.property(text, cuts, (lines, cuts) => {
      const whole = lines.join('')
      const at = [0, ...cuts.filter((cut) => cut < whole.length).sort((a, b) => a - b), whole.length]
      const pieces = at.slice(1).map((end, i) => whole.slice(at[i], end))
      expect(read(...pieces)).toEqual(read(whole))
    }),
    { seed: 7, numRuns: 500 },
  )
})

test('an event in which the text ends is marked as cut', () => {
  const reader = new SseReader()
  expect(reader.push('data: a\n\nevent: e\ndata: {"hal')).toHaveLength(1)
  expect(reader.held).toBeGreaterThan(0)
  expect(reader.end()).toEqual({ event: 'e', data: '{"hal', cut: true })
  expect(new SseReader().end()).toBeUndefined()
})

test('a long line costs no more for coming in many pieces', () => {
  const reader = new SseReader()
  reader.push('data: ')
  for (let i = 0; i < 20_000; i++) expect(reader.push('0123456789')).toEqual([])
  expect(reader.held).toBe(200_006)
  expect(reader.push('\n\n')[0]?.data).toHaveLength(200_000)
})
