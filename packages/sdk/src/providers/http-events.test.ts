import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { SseFrame } from './frames.ts'
import { postStream } from './http.ts'

/** One array of frames for each read, the first being that of the headers; the last where it brought some. */
async function reads(pieces: readonly Uint8Array[]): Promise<(readonly SseFrame[])[]> {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    },
  })
  const { signal } = new AbortController()
  const answer = async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  const all: (readonly SseFrame[])[] = []
  let frames: SseFrame[] = []
  const onFrame = ({ event, data, cut }: SseFrame) => void frames.push({ event, data, ...(cut && { cut }) })
  const request = { fetch: answer, url: 'http://x', headers: {}, body: {}, signal, provider: 'p' }
  for await (const _ of postStream(request, onFrame)) {
    all.push(frames)
    frames = []
  }
  return frames.length > 0 ? [...all, frames] : all
}

const bytes = (text: string) => new TextEncoder().encode(text)
const framesOf = async (...pieces: readonly Uint8Array[]) => (await reads(pieces)).flat()

test.each<[string, string, SseFrame[]]>([
  ['an event with a type', 'event: a\ndata: 1\n\n', [{ event: 'a', data: '1' }]],
  ['a type counts for one event', 'event: a\ndata: 1\n\ndata: 2\n\n', [{ event: 'a', data: '1' }, { data: '2' }]],
  ['several lines of data', 'data: a\ndata\ndata: b\n\n', [{ data: 'a\n\nb' }]],
  ['one blank after the colon is no data', 'data:a\n\ndata:  b\n\n', [{ data: 'a' }, { data: ' b' }]],
  ['a colon in the data', 'data: {"a":1}\n\n', [{ data: '{"a":1}' }]],
  ['comments and other fields', ': hi\nid: 7\nretry: 10\nretry: x\nodd: y\ndata: x\n\n', [{ data: 'x' }]],
  ['nothing without data', 'event: ping\n\n\n\n', []],
  ['a byte order mark', '\uFEFFdata: x\n\n', [{ data: 'x' }]],
  ['every end of line', 'data: a\r\n\r\ndata: b\r\rdata: c\n\n', [{ data: 'a' }, { data: 'b' }, { data: 'c' }]],
  [
    'an event in which the body ends',
    'data: a\n\nevent: e\ndata: {"h',
    [{ data: 'a' }, { event: 'e', data: '{"h', cut: true }],
  ],
])('%s', async (_, text, frames) => expect(await framesOf(bytes(text))).toEqual(frames))

test('however the bytes are cut, the events are the same', async () => {
  const line = fc.constantFrom('data: a', 'data: b\u{1F600}', 'data', 'event: e', ': c', 'id: 1', '')
  const lines = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')).map(([content, end]) => content + end))
  const property = fc.asyncProperty(lines, fc.array(fc.nat(200)), async (lines, cuts) => {
    const whole = bytes(lines.join(''))
    const at = [0, ...cuts.filter((cut) => cut < whole.length).sort((a, b) => a - b), whole.length]
    const pieces = at.slice(1).map((end, i) => whole.slice(at[i], end))
    const withoutCut = async (...pieces: readonly Uint8Array[]) =>
      (await framesOf(...pieces)).map(({ event, data }) => ({ event, data }))
    expect(await withoutCut(...pieces)).toEqual(await withoutCut(whole))
  })
  await fc.assert(property, { seed: 7, numRuns: 300 })
})

test('an event comes with the read that completes it', async () => {
  const [headers, ...rest] = await reads(['data: a\n\nda', 'ta: b\n', '\ndata: c\n\n'].map(bytes))
  expect(headers).toEqual([])
  expect(rest).toEqual([[{ data: 'a' }], [], [{ data: 'b' }, { data: 'c' }]])
})

test('an event that never ends is given up, however it comes', async () => {
  const piece = bytes('0123456789abcdef'.repeat(2 ** 16))
  const endless = (start: string, end: string) => [bytes(start), ...Array.from({ length: 40 }, () => piece), bytes(end)]
  const tooLong = { code: 'provider.protocol', message: expect.stringContaining('longer than') }
  await expect(framesOf(...endless('data: ', '\n\n'))).rejects.toMatchObject(tooLong)
  const line = bytes(`data: ${'x'.repeat(2 ** 20)}\n`)
  await expect(framesOf(...Array.from({ length: 40 }, () => line))).rejects.toMatchObject(tooLong)
})

test('a long line costs no more for coming in many pieces', async () => {
  const pieces = Array.from({ length: 20_000 }, () => bytes('0123456789'))
  const [frame] = await framesOf(bytes('data: '), ...pieces, bytes('\n\n'))
  expect(frame?.data).toHaveLength(200_000)
})
