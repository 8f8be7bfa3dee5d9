import type { UIMessage as UIMessage6 } from 'ai'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { UIMessage as UIMessage7 } from '../../../../../compat/ai-sdk-7/node_modules/ai/dist/index.js'
import { readChunks } from '../../../test/fixtures/ai-pages.ts'
import type { AssistantMessage, Message, UserMessage } from '../../protocol/messages.ts'
import { initialState } from '../../protocol/state.ts'
import { replyAt } from './reply.ts'
import { ReplyWriter } from './reply-writer.ts'
import { toUIMessages } from './to-ui-messages.ts'
import type { UIMessage } from './ui-message.ts'

const blob = { sha256: 'aa', size: 1 }
const user = (id: string, parts: UserMessage['parts']): UserMessage => ({
  role: 'user',
  id,
  at: 1,
  runId: 'run',
  parts,
})
const assistant = (id: string, parts: AssistantMessage['parts'], more: object = {}): AssistantMessage => {
  return { role: 'assistant', id, at: 2, runId: 'run', parts, ...more }
}
const withHistory = (...history: Message[]) => ({ ...initialState('a b'), history })

const told = withHistory(
  user('u', [
    { type: 'text', text: 'Look' },
    { type: 'image', mediaType: 'image/png', name: 'a.png', blob },
    { type: 'file', mediaType: 'text/plain', name: 'a.txt', text: 'é' },
    { type: 'file', mediaType: 'text/plain', path: '/tmp/only-here' },
    { type: 'session', sessionId: 's-2', title: 'Before' },
  ]),
  { role: 'note', id: 'n', at: 1, kind: 'summary', text: 'So far.', toModel: true },
  assistant('a', [
    { type: 'text', text: 'See.' },
    {
      type: 'tool-call',
      callId: 'c1',
      toolName: 'search',
      executed: 'provider',
      input: { q: 'x' },
      output: [1],
      state: 'ready',
    },
    { type: 'source', sourceId: 's1', url: 'https://example.com', title: 'Example' },
    { type: 'source', sourceId: 's2', title: 'A book' },
    { type: 'file', mediaType: 'image/png', blob },
  ]),
  assistant('b', [
    {
      type: 'tool-call',
      callId: 'c2',
      toolName: 'pay',
      inputText: '{"cut',
      state: 'done',
      result: { callId: 'c2', toolName: 'pay', outcome: 'error', output: 'No JSON.', durationMs: 0 },
    },
    {
      type: 'tool-call',
      callId: 'c3',
      toolName: 'pay',
      input: {},
      state: 'done',
      result: {
        callId: 'c3',
        toolName: 'pay',
        outcome: 'denied',
        output: 'A rule says no.',
        metadata: { permission: {} },
        durationMs: 0,
      },
    },
  ]),
)

describe('a session as UI messages', () => {
  it('has what was said, sources and files, calls and how they went', () => {
    expect(toUIMessages(told)).toEqual([
      {
        id: 'u',
        role: 'user',
        metadata: { createdAt: 1 },
        parts: [
          { type: 'text', text: 'Look' },
          { type: 'file', mediaType: 'image/png', filename: 'a.png', url: '/api/chat/a%20b/blobs/aa' },
          { type: 'file', mediaType: 'text/plain', filename: 'a.txt', url: 'data:text/plain;charset=utf-8,%C3%A9' },
          { type: 'data-session', data: { sessionId: 's-2', title: 'Before' } },
        ],
      },
      {
        id: 'a',
        role: 'assistant',
        metadata: { createdAt: 2 },
        parts: [
          { type: 'step-start' },
          { type: 'text', text: 'See.', state: 'done' },
          {
            type: 'tool-search',
            toolCallId: 'c1',
            providerExecuted: true,
            state: 'output-available',
            input: { q: 'x' },
            output: [1],
          },
          { type: 'source-url', sourceId: 's1', url: 'https://example.com', title: 'Example' },
          { type: 'source-document', sourceId: 's2', mediaType: 'text/plain', title: 'A book' },
          { type: 'file', mediaType: 'image/png', url: '/api/chat/a%20b/blobs/aa' },
          { type: 'step-start' },
          { type: 'tool-pay', toolCallId: 'c2', state: 'output-error', rawInput: '{"cut', errorText: 'No JSON.' },
          { type: 'tool-pay', toolCallId: 'c3', state: 'output-error', input: {}, errorText: 'A rule says no.' },
        ],
      },
    ])
  })

  it.each([6, 7] as const)('is what a page with ai %i has after it was told the reply', async (version) => {
    const reply = replyAt(told, { after: 'u', runId: 'run' }, () => '/blob')
    const writer = new ReplyWriter({ version })
    const page = await readChunks(version, [...writer.write(reply), ...writer.finish()])
    const plain = (parts: readonly object[]) => JSON.parse(JSON.stringify(parts))
    const stored = plain(toUIMessages(told, { fileUrl: () => '/blob' })[1]?.parts ?? [])
    expect(page.parts.map(({ type }) => type)).toEqual(stored.map(({ type }: { type: string }) => type))
    for (const [i, part] of page.parts.entries()) {
      if (stored[i]?.rawInput === undefined) expect(part).toMatchObject(stored[i] ?? {})
    }
  })

  it('shows the reply being written', () => {
    const message = assistant('a', [
      { type: 'reasoning', text: 'Hm' },
      { type: 'tool-call', callId: 'c', toolName: 'pay', inputText: '{"a', state: 'streaming' },
      { type: 'text', text: 'He' },
    ])
    const state = initialState('s')
    const [shown] = toUIMessages({ ...state, pending: { ...state.pending, message } })
    expect(shown?.parts).toEqual([
      { type: 'step-start' },
      { type: 'reasoning', text: 'Hm', state: 'done' },
      { type: 'tool-pay', toolCallId: 'c', state: 'input-streaming', rawInput: '{"a' },
      { type: 'text', text: 'He', state: 'streaming' },
    ])
  })

  it('has the types of the AI SDK', () => {
    expectTypeOf<UIMessage>().toExtend<UIMessage6>()
    expectTypeOf<UIMessage>().toExtend<UIMessage7>()
  })
})
