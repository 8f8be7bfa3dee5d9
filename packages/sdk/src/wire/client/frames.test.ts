import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SessionError } from '../../protocol/errors.ts'
import { systemIds } from '../../protocol/system-ids.ts'
import { manualClock } from '../../testing/manual-clock.ts'
import { deviceNetwork } from './environment.ts'
import { type Frame, readFrames } from './frames.ts'

/** The frames of an answer whose bytes come in these pieces. */
async function framesOf(pieces: readonly Uint8Array[]): Promise<Frame[]> {
  const body = new ReadableStream<Uint8Array>({
    start(stream) {
      for (const piece of pieces) stream.enqueue(piece)
      stream.close()
    },
  })
  const answer = new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } })
  const environment = { clock: manualClock(), ids: systemIds, random: () => 1, network: deviceNetwork }
  const { signal } = new AbortController()
  const frames: Frame[] = []
  for await (const some of readFrames(async () => answer, environment, 1_000, '', signal)) frames.push(...some)
  return frames
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

/** The bytes in pieces that end where the cuts are. */
function split(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  return ends.map((end, i) => bytes.slice(ends[i - 1] ?? 0, end))
}

describe('the frames of a stream', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 20 })
  const frame = fc.record({ session: text, prev: fc.nat(), head: fc.nat(), events: fc.array(fc.record({ text })) })
  const before = fc.constantFrom('', ': a comment\n', ':\n\n', 'id: 7\n', 'event: message\nretry: 10\n', '\n')

  it('are the same however their bytes are split, with LF or CRLF, a BOM and lines that say nothing', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(before, frame)),
        fc.constantFrom('\n', '\r\n'),
        fc.constantFrom('', '\uFEFF'),
        fc.constantFrom('data: ', 'data:'),
        fc.array(fc.nat(), { maxLength: 40 }),
        async (said, end, bom, name, cuts) => {
          const lines = said.map(([other, one]) => `${other}${name}${JSON.stringify(one)}\n\n`).join('')
          const bytes = bytesOf(bom + lines.replaceAll('\n', end))
          expect(await framesOf(split(bytes, cuts))).toEqual(said.map(([, one]) => one))
        },
      ),
    )
  })

  it('are the same byte by byte', async () => {
    const said = { reconnect: 7, why: 'Łódź 🚀 は“ここ”' }
    const bytes = bytesOf(`data: ${JSON.stringify(said)}\r\n\r\n`)
    expect(await framesOf([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual([said])
  })

  it('say with an error that a session is gone', async () => {
    const [frame] = await framesOf([bytesOf('data: {"gone":{"code":"session.not-found","message":"No."}}\n\n')])
    expect(frame).toHaveProperty('gone', new SessionError('session.not-found', 'No.'))
  })

  it('leave out what was cut', async () => {
    const whole = `data: {"reconnect":1}\n\n`
    expect(await framesOf([bytesOf(`${whole}data: {"reconnect":2`)])).toEqual([{ reconnect: 1 }])
    expect(await framesOf([bytesOf(`${whole}data: {"reconnect":2}`)])).toEqual([{ reconnect: 1 }])
  })

  it.each(['data: {"prev":', 'data: [1]', 'data: null', 'data: 1', 'data:'])('are refused as %s', async (line) => {
    await expect(framesOf([bytesOf(`${line}\n\n`)])).rejects.toMatchObject({ code: 'wire.protocol' })
  })

  it('have an end', async () => {
    const megabyte = new Uint8Array(1024 * 1024).fill(0x20)
    const endless = [bytesOf('data: '), ...Array.from({ length: 65 }, () => megabyte)]
    await expect(framesOf(endless)).rejects.toMatchObject({ code: 'wire.protocol', message: 'A frame never ended.' })
  })
})
