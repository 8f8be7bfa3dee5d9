import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anthropic } from '../../src/providers/anthropic/index.ts'
import { openai } from '../../src/providers/openai-chat/index.ts'
import { openaiResponses } from '../../src/providers/openai-responses/index.ts'
import type { ModelEvent, ModelProvider } from '../../src/providers/provider.ts'
import type { Chunking } from '../../src/testing/chunking.ts'
import {
  type RecordedApi,
  type RecordingServer,
  recording,
  recordingServer,
} from '../../src/testing/recording-server.ts'

const directory = join(process.env.STEPWELL_SHARED ?? '', 'recordings')
const RANDOM_SPLITS = 200

/** The provider for each API, at a given address. Recordings of other APIs are not ours. */
const providers: Readonly<Record<RecordedApi, ((url: string) => ModelProvider) | undefined>> = {
  'openai-chat': (url) => openai('recorded', { baseURL: url, quirks: 'compatible' }),
  'openai-responses': (url) => openaiResponses('recorded', { baseURL: url }),
  anthropic: (url) => anthropic('recorded', { baseURL: url }),
}

/** Where this project reads a recording differently from the peer that wrote the expected answers, and why. */
const peerDifferences: Readonly<
  Record<string, { readonly usage?: object; readonly reasoning?: string; readonly why: string }>
> = {
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
  const lines = readFileSync(join(directory, `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n')
  const events = lines.map((line) => JSON.parse(line) as { type: string; text?: string })
  return events.find((event) => event.type === type)?.text ?? ''
}

interface Expected {
  readonly name: string
  readonly api: string
  readonly text: string
  readonly reasoning: string
  readonly toolCalls: readonly { id: string; name: string; input: string; providerExecuted?: boolean }[]
  readonly finish?: { readonly unified: string; readonly raw?: string }
  readonly usage?: {
    readonly inputTokens: { readonly noCache?: number; readonly cacheRead?: number; readonly cacheWrite?: number }
    readonly outputTokens: { readonly total?: number; readonly reasoning?: number }
  }
  readonly threw?: string
}

const all = readdirSync(directory)
  .filter((file) => file.endsWith('.expected.json'))
  .map((file) => JSON.parse(readFileSync(join(directory, file), 'utf8')) as Expected)
const recordings = all.filter(({ api }) => Object.hasOwn(providers, api) && providers[api as RecordedApi] !== undefined)

let server: RecordingServer
let body = ''
let chunking: Chunking = 'whole'

beforeAll(async () => {
  server = await recordingServer(() => ({ body, chunking }))
})
afterAll(() => server.close())

describe.each(recordings)('$name', (expected) => {
  const api = expected.api as RecordedApi
  const provider = () => (providers[api] as (url: string) => ModelProvider)(server.url)

  beforeAll(() => {
    body = recording(join(directory, `${expected.name}.jsonl`), api)
  })

  test('as a whole it says what the peer reads', async () => {
    chunking = 'whole'
    expect(summary(await reply(provider()))).toEqual(peerSummary(expected))
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

interface Reply {
  readonly events: readonly ModelEvent[]
  readonly error?: unknown
}

async function reply(provider: ModelProvider): Promise<Reply> {
  const events: ModelEvent[] = []
  const request = { messages: [], tools: [], settings: {}, bytes: () => Promise.reject(new Error('no bytes here')) }
  try {
    for await (const batch of provider.stream(request, { signal: new AbortController().signal })) events.push(...batch)
    return { events }
  } catch (error) {
    return { events, error }
  }
}

/** What of a reply does not depend on how its text was cut: every event, with neighbouring texts joined. */
function outline({ events, error }: Reply): unknown {
  const joined: { type: string; part?: number; text?: string }[] = []
  for (const event of events) {
    const last = joined.at(-1)
    const extends_ = 'text' in event && last?.type === event.type && last.part === event.part
    if (extends_) last.text += event.text
    else joined.push({ ...event })
  }
  return { joined, error: error instanceof Error ? error.message : error }
}

function summary({ events, error }: Reply): unknown {
  const done = events.find((event) => event.type === 'done')
  const calls = new Map<number, { id: string; name: string; input: string; providerExecuted?: true }>()
  for (const event of events) {
    if (event.type === 'tool-input') {
      const call = calls.get(event.part) ?? { id: '', name: '', input: '' }
      if (event.id !== undefined) call.id = event.id
      if (event.name !== undefined) call.name = event.name
      if (event.executed !== undefined) call.providerExecuted = true
      call.input += event.text
      calls.set(event.part, call)
    } else if (event.type === 'tool-input-end' && event.input !== undefined) {
      const call = calls.get(event.part)
      if (call !== undefined) call.input = JSON.stringify(event.input)
    }
  }
  return {
    text: joinedText(events, 'text'),
    reasoning: joinedText(events, 'reasoning'),
    calls: [...calls.values()],
    finish: done && { unified: done.stop, raw: done.rawStop },
    usage:
      done?.usage &&
      withoutZeros({
        noCache: done.usage.inputTokens,
        cacheRead: done.usage.cacheReadTokens,
        cacheWrite: done.usage.cacheWriteTokens,
        output: done.usage.outputTokens,
        reasoning: done.usage.reasoningTokens,
      }),
    error: error instanceof Error ? error.message : error,
  }
}

/** The peer says 0 where the provider reported nothing; here that stays unknown. */
function withoutZeros(usage: Readonly<Record<string, number | undefined>>): unknown {
  return Object.fromEntries(Object.entries(usage).filter(([, tokens]) => tokens !== 0 && tokens !== undefined))
}

function joinedText(events: readonly ModelEvent[], type: 'text' | 'reasoning'): string {
  return events.map((event) => (event.type === type ? event.text : '')).join('')
}

function peerSummary(expected: Expected): unknown {
  const { name, text, reasoning, toolCalls, finish, usage, threw } = expected
  return {
    text,
    reasoning: peerDifferences[name]?.reasoning ?? reasoning,
    calls: toolCalls,
    finish: finish && { unified: finish.unified, raw: finish.raw },
    usage:
      peerDifferences[name]?.usage ??
      (usage &&
        withoutZeros({
          noCache: usage.inputTokens.noCache,
          cacheRead: usage.inputTokens.cacheRead,
          cacheWrite: usage.inputTokens.cacheWrite,
          output: usage.outputTokens.total,
          reasoning: usage.outputTokens.reasoning,
        })),
    error: threw,
  }
}
