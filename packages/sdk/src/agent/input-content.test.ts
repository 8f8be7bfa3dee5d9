import { expect, test } from 'vitest'
import type { InputContent } from '../protocol/session.ts'
import { agentWorld } from '../testing/agent-world.ts'

const bytes = new Uint8Array([1])

test.each<[string, unknown]>([
  ['a file without anything', { type: 'file', mediaType: 'text/plain', name: 'a.txt' }],
  ['a file whose bytes have another name', { type: 'file', mediaType: 'text/plain', data: bytes }],
  ['an image under the name of another library', { type: 'image', image: 'https://a.example/a.png' }],
  ['bytes of no media type', { type: 'file', bytes }],
  ['a session without an id', { type: 'session', title: 'Another' }],
  ['a type that nobody knows', { type: 'audio', mediaType: 'audio/wav', bytes }],
])('%s is refused, and not left out without a word', async (_what, part) => {
  const world = agentWorld([])
  const session = await world.session()
  const input = [{ type: 'text', text: 'Look' }, part] as InputContent
  expect(await session.run(input).result).toMatchObject({ error: { code: 'input.invalid' }, recorded: false })
  await expect(session.send(input)).rejects.toMatchObject({ code: 'input.invalid' })
  expect(session.state.history).toEqual([])
})

test.each<[string, unknown]>([
  ['bytes', { type: 'file', mediaType: 'text/plain', bytes }],
  ['an address', { type: 'image', mediaType: 'image/png', url: 'https://a.example/a.png' }],
  ['a path with its text', { type: 'file', mediaType: 'text/plain', path: '/a.txt', text: 'A' }],
  ['a reason', { type: 'file', mediaType: 'video/mp4', name: 'a.mp4', omitted: 'too large' }],
  ['another session', { type: 'session', sessionId: 's-2' }],
])('%s is something', async (_what, part) => {
  const world = agentWorld(['Seen.'])
  const session = await world.session()
  expect((await session.run([part] as InputContent).result).reason).toBe('stop')
})

test('any view is the bytes that it shows, in every store, and a proxy is what it stands for', async () => {
  const buffer = new Uint8Array([9, 1, 2, 3, 4, 9]).buffer
  const views = [new Uint16Array(buffer, 2, 1), new DataView(buffer, 1, 4)] as unknown as Uint8Array[]
  const { agent, session, store } = agentWorld(['Seen.'])
  const opened = await session()
  const files = views.map((bytes) => ({ type: 'file' as const, mediaType: 'a/b', bytes }))
  await opened.run([new Proxy({ type: 'text' as const, text: 'Look.' }, {}), ...files]).result
  const [message] = opened.state.history
  const [text, ...sent] = message?.role === 'user' ? message.parts : []
  expect(text).toEqual({ type: 'text', text: 'Look.' })
  const blobs = sent.map((part) => (part.type === 'file' ? part.blob : undefined))
  expect(blobs.map((blob) => blob?.size)).toEqual([2, 4])
  const bytes = await Promise.all(blobs.map((blob) => store.blobs.get('s', blob?.sha256 ?? '')))
  expect(bytes.map((all) => Array.from(all ?? []))).toEqual([
    [2, 3],
    [1, 2, 3, 4],
  ])
  await agent.close()
})
