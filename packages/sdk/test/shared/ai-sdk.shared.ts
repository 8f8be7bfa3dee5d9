import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAgent } from '../../src/agent/create-agent.ts'
import { fromAISDK } from '../../src/ai-sdk.ts'
import { framed, type RecordedApi, type RecordingServer, recordingServer } from '../../src/testing/recording-server.ts'
import { defineTool } from '../../src/tools/define-tool.ts'
import { type AISDKModelName, aiSDKModel, aiSDKModelNames } from '../fixtures/ai-sdk-models.ts'
import { sent } from '../fixtures/asked.ts'
import {
  type Difference,
  type Expected,
  expectedReplies,
  peerSummary,
  recordings,
  reply,
  summary,
} from '../fixtures/recorded-replies.ts'

/** Which recordings each package is shown: those of its own vendor, and of others where it reads all there is in them. */
const shown: Readonly<Record<AISDKModelName, RegExp>> = {
  'openai 2, chat': /^(openai-chat|groq|mistral)/,
  'openai 2, responses': /^responses/,
  'openai 3, chat': /^(openai-chat|groq|mistral)/,
  'openai 3, responses': /^responses/,
  'openai 4, chat': /^(openai-chat|groq|mistral)/,
  'openai 4, responses': /^responses/,
  'anthropic 3': /^anthropic/,
  'google 3': /^gemini/,
  'google 4': /^gemini/,
  'mistral 3': /^mistral/,
  'deepseek 2': /^(deepseek|alibaba)/,
  'groq 3': /^groq/,
}

const all = expectedReplies()
let server: RecordingServer
let body = ''

beforeAll(async () => {
  server = await recordingServer(() => ({ body }))
})
afterAll(() => server.close())

describe.each(aiSDKModelNames)('%s', (name) => {
  test.each(all.filter((expected) => shown[name].test(expected.name)))('$name', async (expected) => {
    body = framedAs(expected)
    const provider = fromAISDK(aiSDKModel(name, { baseURL: server.url }))
    expect(summary(await reply(provider))).toEqual(peerSummary(expected, differenceOf(name, expected)))
  })
})

test.each(['google 3', 'google 4'] as const)(
  '%s: a loop of two recordings, with the signature of the first',
  async (name) => {
    const replies = ['gemini-tool-call', 'gemini-text'].map(payloadsOf)
    const loop = await recordingServer(replies.map((payloads) => ({ body: bare(payloads) })))
    const weather = defineTool<{ location: string }>({
      name: 'weather',
      description: 'The weather at a place.',
      effect: 'read',
      input: { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] },
      execute: ({ location }) => `Fog in ${location}.`,
    })
    const model = fromAISDK(aiSDKModel(name, { baseURL: loop.url }))
    await using agent = createAgent({ model, tools: [weather] })
    const { reason, text } = await agent.run('How is the weather?').result
    await loop.close()

    expect({ reason, text }).toEqual({ reason: 'stop', text: expect.stringContaining('strawberry') })
    const [, signature] = /"thoughtSignature":"([^"]+)"/.exec(replies[0]?.join('') ?? '') ?? []
    const { contents } = sent<{ readonly contents: readonly { readonly parts: readonly object[] }[] }>(loop, 1)
    expect(contents.slice(1).map(({ parts }) => parts)).toMatchObject([
      [{ functionCall: { name: 'weather', args: { location: 'San Francisco' } }, thoughtSignature: signature }],
      [{ functionResponse: { name: 'weather', response: { content: 'Fog in San Francisco.' } } }],
    ])
  },
)

function differenceOf(name: AISDKModelName, { finish, toolCalls }: Expected): Difference | undefined {
  if (name.startsWith('openai 2') && finish) {
    return { finish: { unified: finish.unified, raw: undefined }, why: 'version 2 passes on no word of the vendor' }
  }
  if (name.startsWith('google')) {
    const calls = toolCalls.map((call) => ({ ...call, id: expect.stringMatching(/^\w{16}$/) }))
    return { calls, why: 'Gemini gives its calls no ids: the package makes them up' }
  }
  return undefined
}

function framedAs({ name, api }: Expected): string {
  if (api === 'gemini') return bare(payloadsOf(name))
  return framed(api as RecordedApi, payloadsOf(name))
}

function payloadsOf(name: string): readonly string[] {
  return readFileSync(join(recordings, `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n')
}

/** Gemini's events have no names, and its streams no last one. */
function bare(payloads: readonly string[]): string {
  return payloads.map((payload) => `data: ${payload}\n\n`).join('')
}
