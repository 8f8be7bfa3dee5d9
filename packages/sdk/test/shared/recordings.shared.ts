import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anthropic } from '../../src/providers/anthropic/index.ts'
import { openai } from '../../src/providers/openai-chat/index.ts'
import { openaiResponses } from '../../src/providers/openai-responses/index.ts'
import type { ModelProvider } from '../../src/providers/provider.ts'
import type { Chunking } from '../../src/testing/chunking.ts'
import {
  type RecordedApi,
  type RecordingServer,
  recording,
  recordingServer,
} from '../../src/testing/recording-server.ts'
import {
  type Difference,
  expectedReplies,
  outline,
  peerSummary,
  recordings,
  reply,
  summary,
} from '../fixtures/recorded-replies.ts'

const RANDOM_SPLITS = 200

/** The provider for each API, at a given address. Recordings of other APIs are not ours. */
const providers: Readonly<Record<RecordedApi, ((url: string) => ModelProvider) | undefined>> = {
  'openai-chat': (url) => openai('recorded', { baseURL: url, quirks: 'compatible' }),
  'openai-responses': (url) => openaiResponses('recorded', { baseURL: url }),
  anthropic: (url) => anthropic('recorded', { baseURL: url }),
}

const peerDifferences: Readonly<Record<string, Difference>> = {
  'xai-chat-tool-call': {
    usage: { cacheRead: 306, noCache: 1, output: 253, reasoning: 227 },
    why: 'xAI counts 227 reasoning tokens beside the 26 of the answer; its own total of 560 includes both',
  },
  'responses-lmstudio-tool-1': {
    reasoning: wholeText('responses-lmstudio-tool-1', 'response.reasoning_text.done'),
    why: 'LM Studio streams the thoughts themselves (reasoning_text), which the peer skips',
  },
}

/** The text that one event of a recording repeats as a whole. */
function wholeText(name: string, type: string): string {
  const lines = readFileSync(join(recordings, `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n')
  const events = lines.map((line) => JSON.parse(line) as { type: string; text?: string })
  return events.find((event) => event.type === type)?.text ?? ''
}

const ours = expectedReplies().filter(
  ({ api }) => Object.hasOwn(providers, api) && providers[api as RecordedApi] !== undefined,
)

let server: RecordingServer
let body = ''
let chunking: Chunking = 'whole'

beforeAll(async () => {
  server = await recordingServer(() => ({ body, chunking }))
})
afterAll(() => server.close())

describe.each(ours)('$name', (expected) => {
  const api = expected.api as RecordedApi
  const provider = () => (providers[api] as (url: string) => ModelProvider)(server.url)

  beforeAll(() => {
    body = recording(join(recordings, `${expected.name}.jsonl`), api)
  })

  test('as a whole it says what the peer reads', async () => {
    chunking = 'whole'
    expect(summary(await reply(provider()))).toEqual(peerSummary(expected, peerDifferences[expected.name]))
  })

  test('byte by byte and cut anywhere it says the same', async () => {
    chunking = 'whole'
    const whole = outline(await reply(provider()))
    chunking = 'bytes'
    expect(outline(await reply(provider()))).toEqual(whole)
    for (let seed = 1; seed <= RANDOM_SPLITS; seed++) {
      chunking = { seed }
      expect(outline(await reply(provider())), `seed ${seed}`).toEqual(whole)
    }
  }, 60_000)
})
