import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chunked } from './chunking.ts'
import { framed, hold, recordingServer } from './recording-server.ts'

test('chunks are the bytes, however they are cut', () => {
  const chunking = fc.oneof(
    fc.constantFrom('whole' as const, 'bytes' as const),
    fc.array(fc.nat(50)).map((offsets) => [...offsets].sort((a, b) => a - b)),
    fc.record({ seed: fc.integer() }),
  )
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2000 }), chunking, (bytes, cut) => {
      const chunks = chunked(bytes, cut)
      expect(chunks.every((chunk) => chunk.length > 0)).toBe(true)
      expect(chunks.flatMap((chunk) => [...chunk])).toEqual([...bytes])
      expect(chunked(bytes, cut)).toEqual(chunks)
    }),
    { seed: 4 },
  )
})

test('each API frames its payloads', () => {
  expect(framed('openai-chat', ['{}'])).toBe('data: {}\n\ndata: [DONE]\n\n')
  expect(framed('anthropic', ['{"type":"ping"}'])).toBe('event: ping\ndata: {"type":"ping"}\n\n')
})

test('replies are served in order, and requests are kept', async () => {
  const server = await recordingServer([
    { body: 'one', chunking: 'bytes' },
    { status: 503, headers: { 'x-a': '1' } },
  ])
  const first = await fetch(`${server.url}/a?b=1`, { method: 'POST', body: '{"x":1}', headers: { 'X-Key': 'k' } })
  expect([first.status, await first.text()]).toEqual([200, 'one'])
  const second = await fetch(server.url)
  expect([second.status, second.headers.get('x-a'), await second.text()]).toEqual([503, '1', ''])
  expect(server.requests[0]).toMatchObject({
    method: 'POST',
    path: '/a?b=1',
    json: { x: 1 },
    headers: { 'x-key': 'k' },
  })
  expect(server.requests[1]?.json).toBeUndefined()
  expect(await server.requests[0]?.closed).toEqual({ whole: true })
  await server.close()
})

test('a request too many is answered, and fails the close', async () => {
  const server = await recordingServer([])
  expect((await fetch(server.url)).status).toBe(400)
  await expect(server.close()).rejects.toMatchObject({ code: 'testing.unexpected-call' })
})

test('a gate holds the rest back until it is opened', async () => {
  const gate = hold()
  const server = await recordingServer([{ body: ['a', gate, 'b'] }])
  const reader = (await fetch(server.url)).body?.getReader()
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('a')
  gate.open()
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('b')
  expect((await reader?.read())?.done).toBe(true)
  await server.close()
})

test('a cut resets the connection after so many bytes, a gate nobody opens ends with the server', async () => {
  const server = await recordingServer([{ body: 'abc', cutAfter: 2 }, { cutAfter: 0 }, { body: [hold()] }])
  const cut = (await fetch(server.url)).body?.getReader()
  expect(new TextDecoder().decode((await cut?.read())?.value)).toBe('ab')
  await expect(cut?.read()).rejects.toThrow()
  await expect(fetch(server.url)).rejects.toThrow()
  const endless = await fetch(server.url)
  await server.close()
  await expect(endless.text()).rejects.toThrow()
})
