import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createAgent } from '../src/agent/create-agent.ts'
import { anthropic } from '../src/providers/anthropic/index.ts'
import { sqliteStore } from '../src/stores/sqlite/index.ts'
import { framed, type RecordingServer, recordingServer } from '../src/testing/recording-server.ts'
import { defineTool } from '../src/tools/define-tool.ts'

const thoughts = [
  { type: 'thinking', thinking: '  step one \n', signature: 'S1' },
  { type: 'redacted_thinking', data: 'RED' },
  { type: 'thinking', thinking: '', signature: 'S2' },
  { type: 'text', text: 'Reading.' },
  { type: 'tool_use', id: 't1', name: 'read', input: { p: 1 } },
]

/** Thinking comes as one delta, its signature in two. */
function streamed(block: { type: string; thinking?: string; signature?: string }, index: number): object[] {
  const { thinking = '', signature = '' } = block
  const deltas = [
    { type: 'thinking_delta', thinking },
    { type: 'signature_delta', signature: signature.slice(0, 1) },
    { type: 'signature_delta', signature: signature.slice(1) },
  ].map((delta) => ({ type: 'content_block_delta', index, delta }))
  const start = block.type === 'thinking' ? { type: 'thinking', thinking: '', signature: '' } : block
  return [
    { type: 'content_block_start', index, content_block: start },
    ...(block.type === 'thinking' ? deltas : []),
    { type: 'content_block_stop', index },
  ]
}

function reply(stop_reason: string, blocks: readonly { type: string }[]) {
  const end = [{ type: 'message_delta', delta: { stop_reason } }, { type: 'message_stop' }]
  const payloads = [...blocks.flatMap(streamed), ...end].map((payload) => JSON.stringify(payload))
  return { body: framed('anthropic', payloads) }
}

async function withAgent(path: string, server: RecordingServer, input: string): Promise<void> {
  const model = anthropic('claude-opus-5', { baseURL: server.url, cache: false })
  const read = defineTool({
    name: 'read',
    description: 'Reads',
    input: { type: 'object', properties: { p: { type: 'number' } } },
    execute: () => 'ok',
  })
  await using agent = createAgent({ model, tools: [read], store: sqliteStore(path) })
  const session = await agent.session('s')
  expect(await session.run(input).result).toMatchObject({ reason: 'stop' })
}

test('signed thoughts go back to the byte, also from a database that another agent opens', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'stepwell-'))
  const ok = reply('end_turn', [{ type: 'text', text: 'ok' } as { type: string }])
  const server = await recordingServer([reply('tool_use', thoughts), ok, ok])
  try {
    await withAgent(join(directory, 'a.db'), server, 'go')
    await withAgent(join(directory, 'a.db'), server, 'go on')
    const sent = server.requests.map(({ json }) => (json as { messages: { content: unknown }[] }).messages)
    expect(sent[1]?.[1]?.content).toEqual(thoughts)
    expect(sent[2]?.[1]?.content).toEqual(thoughts)
    expect(sent[2]?.slice(2)).toEqual([
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'ok' }] }],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'ok' }] },
      { role: 'user', content: [{ type: 'text', text: 'go on' }] },
    ])
  } finally {
    await server.close()
    rmSync(directory, { recursive: true })
  }
})
