import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fromAISDK } from '../../src/ai-sdk.ts'
import { type RecordingServer, recording, recordingServer } from '../../src/testing/recording-server.ts'
import { type AISDKModelName, aiSDKModel, aiSDKModelNames } from '../fixtures/ai-sdk-models.ts'
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
  // Gemini's events are as bare as those of Chat Completions, without the last one.
  const known = api === 'openai-responses' || api === 'anthropic' ? api : 'openai-chat'
  const whole = recording(join(recordings, `${name}.jsonl`), known)
  return api === 'gemini' ? whole.replace('data: [DONE]\n\n', '') : whole
}
