import { expect, test } from 'vitest'
import { createAgent } from '../src/agent/create-agent.ts'
import { openai } from '../src/providers/openai-chat/index.ts'
import { stateWhere } from '../src/testing/agent-world.ts'
import { framed, hold, recordingServer } from '../src/testing/recording-server.ts'

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 1, 2, 3])
const PDF = new TextEncoder().encode('%PDF-1.7 seven')

function said(content: string): string {
  return framed('openai-chat', [
    JSON.stringify({ choices: [{ index: 0, delta: { content } }] }),
    JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
  ])
}

interface Body {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
}

test.each(['steer', 'queue'] as const)('an image and a file, as bytes, reach the model by %s', async (mode) => {
  const gate = hold()
  const [begun = '', rest = ''] = said('First.').split(/(?<=First[^\n]*\n\n)/)
  const server = await recordingServer([{ body: [begun, gate, rest] }, { body: said('Seen.') }, { body: said('Yes.') }])
  await using agent = createAgent({ model: openai('gpt-5.2', { baseURL: server.url, apiKey: 'k' }) })
  const session = await agent.session()
  const run = session.run([
    { type: 'text', text: 'What is this?' },
    { type: 'image', mediaType: 'image/png', bytes: PNG },
  ])
  await stateWhere(session, ({ pending }) => (pending.message?.parts.length ?? 0) > 0)
  const { inputId = '', runId = '' } = await session.send(
    [
      { type: 'text', text: 'And these?' },
      { type: 'image', mediaType: 'image/png', bytes: PNG.slice(0, 5), name: 'b.png' },
      { type: 'file', mediaType: 'application/pdf', bytes: PDF, name: 'c.pdf' },
    ],
    { mode },
  )
  gate.open()
  expect(await session.settled(inputId)).toEqual({ inputId, status: 'absorbed', runId })
  await run.result
  expect(await session.follow(runId).result).toMatchObject({ reason: 'stop', text: 'Seen.' })
  await session.run('Once more').result
  await server.close()

  const image = (bytes: Uint8Array) => ({
    type: 'image_url',
    image_url: { url: `data:image/png;base64,${Buffer.from(bytes).toString('base64')}` },
  })
  const bodies = server.requests.map(({ json }) => (json as Body).messages.filter(({ role }) => role === 'user'))
  for (const users of bodies.slice(1)) {
    expect(users[0]?.content).toEqual([{ type: 'text', text: 'What is this?' }, image(PNG)])
    expect(users[1]?.content).toEqual([
      { type: 'text', text: 'And these?' },
      image(PNG.slice(0, 5)),
      {
        type: 'file',
        file: { filename: 'c.pdf', file_data: `data:application/pdf;base64,${Buffer.from(PDF).toString('base64')}` },
      },
    ])
  }
})
