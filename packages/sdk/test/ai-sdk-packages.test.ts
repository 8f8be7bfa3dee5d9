import { describe, expect, test } from 'vitest'
import { fromAISDK } from '../src/ai-sdk.ts'
import { base64 } from '../src/providers/bytes.ts'
import type { ModelEvent } from '../src/providers/provider.ts'
import { framed, type RecordedApi, recordingServer } from '../src/testing/recording-server.ts'
import { type AISDKModelName, aiSDKModel, aiSDKModelNames } from './fixtures/ai-sdk-models.ts'
import { asked } from './fixtures/asked.ts'
import { lookReplies } from './fixtures/look-replies.ts'

function replyOf(name: AISDKModelName): string {
  if (name.endsWith('responses')) return framed('openai-responses', lookReplies.responses)
  if (name.startsWith('anthropic')) return framed('anthropic', lookReplies.anthropic)
  const api: RecordedApi = 'openai-chat'
  return framed(api, name.startsWith('google') ? lookReplies.gemini : lookReplies.chat)
}

function textOf(events: readonly ModelEvent[]): string {
  return events.map((event) => (event.type === 'text' ? event.text : '')).join('')
}

const look = {
  type: 'function',
  name: 'look',
  description: 'Looks.',
  inputSchema: {
    type: 'object',
    properties: { at: { type: 'string' } },
    required: ['at'],
    additionalProperties: false,
  },
} as const

/** Every byte there is, so that no text encoding could keep it. */
const picture = Uint8Array.from({ length: 256 }, (_, byte) => byte)
const blob = { sha256: 'p', size: picture.length }
const bytes = async () => picture

describe.each(aiSDKModelNames)('%s', (name) => {
  test('a text, a call, the end and the usage', async () => {
    const server = await recordingServer([{ body: replyOf(name) }])
    const events = await asked(fromAISDK(aiSDKModel(name, { baseURL: server.url })), { tools: [look] })
    await server.close()
    expect(textOf(events)).toBe('One moment.')
    const call = { type: 'tool-input', part: 1, text: '', id: 'call_1', name: 'look' }
    expect(events.filter((event) => event.type === 'tool-input')[0]).toEqual(call)
    expect(events.find((event) => event.type === 'tool-input-end')).toEqual({ type: 'tool-input-end', part: 1 })
    expect(events.at(-1)).toMatchObject({
      type: 'done',
      stop: 'tool-calls',
      usage: { inputTokens: 9, outputTokens: 5 },
      // Gemini's models say who answered only to Google's own clients.
      ...(!name.startsWith('google') && { model: 'answered' }),
    })
  })

  test('an image arrives unbroken', async () => {
    const server = await recordingServer([{ body: replyOf(name) }])
    const parts = [
      { type: 'text', text: 'What is this?' },
      { type: 'image', mediaType: 'image/png', blob },
    ] as const
    const events = await asked(fromAISDK(aiSDKModel(name, { baseURL: server.url })), {
      messages: [{ role: 'user', id: 'u', at: 0, parts }],
      bytes,
    })
    await server.close()
    expect(server.requests[0]?.text).toMatch(new RegExp(`"(data:image/png;base64,)?${escaped(base64(picture))}"`))
    expect(isOmitted(events)).toBe(false)
  })
})

test.each([
  ['openai 2, chat', 'https://example.com/a.png', true],
  ['openai 3, responses', 'https://example.com/a.png', true],
  ['openai 4, responses', 'https://example.com/a.png', true],
  ['anthropic 3', 'https://example.com/a.png', true],
  ['mistral 3', 'https://example.com/a.png', false],
  ['google 3', 'https://www.youtube.com/watch?v=abc', true],
] as const)('%s fetches %s itself: %s', async (name, url, fetches) => {
  const server = await recordingServer([{ body: replyOf(name) }])
  const parts = [{ type: 'image', mediaType: 'image/png', url, name: 'a.png' }] as const
  const events = await asked(fromAISDK(aiSDKModel(name, { baseURL: server.url })), {
    messages: [{ role: 'user', id: 'u', at: 0, parts }],
  })
  await server.close()
  expect([server.requests[0]?.text.includes(url), isOmitted(events)]).toEqual([fetches, !fetches])
  if (!fetches) expect(server.requests[0]?.text).toContain('[image: a.png]')
})

test('an image that stands in its address is sent as bytes', async () => {
  const server = await recordingServer([{ body: replyOf('google 3') }])
  const url = `data:image/png;base64,${base64(picture)}`
  await asked(fromAISDK(aiSDKModel('google 3', { baseURL: server.url })), {
    messages: [{ role: 'user', id: 'u', at: 0, parts: [{ type: 'image', mediaType: 'image/png', url }] }],
  })
  await server.close()
  expect(server.requests[0]?.text).toContain(`"data":"${base64(picture)}"`)
})

test('a file that a package has no word for is told by name, the image beside it is sent', async () => {
  const server = await recordingServer([{ body: replyOf('groq 3') }])
  const parts = [
    { type: 'file', mediaType: 'application/pdf', name: 'report.pdf', blob },
    { type: 'image', mediaType: 'image/png', blob },
  ] as const
  const events = await asked(fromAISDK(aiSDKModel('groq 3', { baseURL: server.url })), {
    messages: [{ role: 'user', id: 'u', at: 0, parts }],
    bytes,
  })
  await server.close()
  expect(server.requests).toHaveLength(1)
  expect(server.requests[0]?.text).toContain('[file: report.pdf]')
  expect(server.requests[0]?.text).toContain(base64(picture))
  expect(events.filter((event) => event.type === 'warning').map(({ message }) => message)).toEqual([
    expect.stringContaining('report.pdf'),
  ])
})

test('settings, the choice of a tool and the form of the output go out in the words of the package', async () => {
  const server = await recordingServer([{ body: replyOf('openai 3, chat') }, { body: replyOf('openai 4, responses') }])
  const request = {
    instructions: 'Be brief.',
    tools: [look],
    toolChoice: { name: 'look' },
    output: { schema: look.inputSchema, name: 'Where to' },
    settings: { temperature: 0.5, maxOutputTokens: 99, stop: ['END'], seed: 7, extra: { openai: { user: 'ada' } } },
  } as const
  await asked(fromAISDK(aiSDKModel('openai 3, chat', { baseURL: server.url })), request)
  const { settings: _, ...rest } = request
  const model = aiSDKModel('openai 4, responses', { baseURL: server.url, model: 'gpt-5.2' })
  await asked(fromAISDK(model), { ...rest, settings: { reasoning: { budgetTokens: 9000 } } })
  await server.close()
  expect(server.requests[0]?.json).toMatchObject({
    messages: [{ role: 'system', content: 'Be brief.' }, { role: 'user' }],
    temperature: 0.5,
    max_tokens: 99,
    stop: ['END'],
    seed: 7,
    user: 'ada',
    tools: [{ type: 'function', function: { name: 'look', description: 'Looks.', parameters: look.inputSchema } }],
    tool_choice: { type: 'function', function: { name: 'look' } },
    response_format: { type: 'json_schema', json_schema: { name: 'Where_to', schema: look.inputSchema } },
  })
  expect(server.requests[1]?.json).toMatchObject({
    reasoning: { effort: 'medium' },
    tool_choice: { type: 'function', name: 'look' },
    text: { format: { type: 'json_schema', name: 'Where_to' } },
  })
})

test('a setting that the package does not take is told of', async () => {
  const server = await recordingServer([{ body: replyOf('openai 3, responses') }])
  const model = aiSDKModel('openai 3, responses', { baseURL: server.url })
  const events = await asked(fromAISDK(model), { settings: { seed: 7, reasoning: 'low' } })
  await server.close()
  const ignored = events.filter((event) => event.type === 'warning' && event.code === 'provider.setting-ignored')
  expect(ignored).toEqual([
    expect.objectContaining({ message: expect.stringContaining('amount of reasoning') }),
    expect.objectContaining({ message: 'Not supported: seed' }),
  ])
})

function isOmitted(events: readonly ModelEvent[]): boolean {
  return events.some((event) => event.type === 'warning' && event.code === 'ai-sdk.file-omitted')
}

function escaped(text: string): string {
  return text.replace(/[+/]/g, '\\$&')
}
