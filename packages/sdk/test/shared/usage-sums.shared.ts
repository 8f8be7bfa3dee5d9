import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AgentEvent, Usage, UsageEvent } from '../../src/index.ts'
import { createAgent, totalTokens } from '../../src/index.ts'
import { anthropic } from '../../src/providers/anthropic/index.ts'
import { openai } from '../../src/providers/openai-chat/index.ts'
import { openaiResponses } from '../../src/providers/openai-responses/index.ts'
import type { ModelProvider } from '../../src/providers/provider.ts'
import {
  type RecordedApi,
  type RecordingServer,
  recording,
  recordingServer,
} from '../../src/testing/recording-server.ts'

const directory = join(process.env.STEPWELL_SHARED ?? '', 'recordings')

const providers: Readonly<Record<string, (url: string) => ModelProvider>> = {
  'openai-chat': (url) => openai('recorded', { baseURL: url, quirks: 'compatible' }),
  'openai-responses': (url) => openaiResponses('recorded', { baseURL: url }),
  anthropic: (url) => anthropic('recorded', { baseURL: url, apiKey: 'none' }),
}

const recordings = readdirSync(directory)
  .filter((file) => file.endsWith('.expected.json'))
  .map((file) => JSON.parse(readFileSync(join(directory, file), 'utf8')) as { name: string; api: string })
  .filter(({ api }) => Object.hasOwn(providers, api))

const COUNTERS = ['inputTokens', 'cacheReadTokens', 'cacheWriteTokens', 'outputTokens', 'reasoningTokens'] as const

let server: RecordingServer
let body = ''

beforeAll(async () => {
  server = await recordingServer(() => ({ body, chunking: 'whole' }))
})
afterAll(() => server.close())

describe.each(recordings)('$name', ({ name, api }) => {
  test('the usage of its calls sums to the runs, and that of the runs to the session, to the token', async () => {
    body = recording(join(directory, `${name}.jsonl`), api as RecordedApi)
    const model = providers[api]?.(server.url) as ModelProvider
    const agent = createAgent({ model, maxTurns: 2, retries: { max: 1, baseMs: 0 } })
    const session = await agent.session('s')
    const runs: UsageEvent[][] = []
    for (const text of ['one', 'two', 'three']) {
      const events: AgentEvent[] = []
      for await (const event of session.run(text)) events.push(event)
      const calls = events.filter((event) => event.type === 'usage')
      const finish = events.find((event) => event.type === 'finish')
      expect(calls.length).toBeGreaterThan(0)
      expect(counted(finish?.usage.run)).toEqual(summed(calls.map(({ call }) => call)))
      expect(finish?.usage.run.requests).toBe(calls.length)
      runs.push(calls)
      expect(counted(finish?.usage.total)).toEqual(summed(runs.flat().map(({ call }) => call)))
    }
    const ofRuns = runs.flatMap((calls) => calls.at(-1)?.run ?? [])
    expect(counted(session.state.usage.total)).toEqual(summed(ofRuns))
    expect(session.state.usage.total.requests).toBe(runs.flat().length)
    await agent.close()
  })
})

function counted(usage: Usage | undefined): Record<string, number> {
  const counters = COUNTERS.map((name) => [name, usage?.[name] ?? 0])
  return { ...Object.fromEntries(counters), totalTokens: (usage && totalTokens(usage)) ?? 0 }
}

function summed(parts: readonly Usage[]): Record<string, number> {
  const sum: Record<string, number> = counted(undefined)
  for (const part of parts.map(counted)) {
    for (const [name, tokens] of Object.entries(part)) sum[name] = (sum[name] ?? 0) + tokens
  }
  return sum
}
