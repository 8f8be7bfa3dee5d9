import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createAgent } from '../../src/agent/create-agent.ts'
import { fromAISDK } from '../../src/ai-sdk.ts'
import { openaiResponses } from '../../src/providers/openai-responses/index.ts'
import { recording, recordingServer } from '../../src/testing/recording-server.ts'
import { defineTool } from '../../src/tools/define-tool.ts'
import { type AISDKModelName, aiSDKModel } from '../fixtures/ai-sdk-models.ts'

const turns = [1, 2, 3, 4].map((n) =>
  join(process.env.STEPWELL_SHARED ?? '', 'recordings', `responses-reasoning-encrypted-turn-${n}.jsonl`),
)

type Item = {
  readonly type: string
  readonly call_id?: string
  readonly encrypted_content?: string
  readonly output?: string
}

/** The items a turn ended with: what the next request has to bring back. */
function itemsOf(path: string): Item[] {
  const events = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; item: Item })
  return events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item)
}

const OPERATIONS: Readonly<Record<string, (a: number, b: number) => number>> = {
  add: (a, b) => a + b,
  subtract: (a, b) => a - b,
  multiply: (a, b) => a * b,
  divide: (a, b) => a / b,
}

const calculator = defineTool<{ a: number; b: number; op: string }>({
  name: 'calculator',
  description: 'Basic arithmetic, one step a call.',
  effect: 'read',
  input: {
    type: 'object',
    properties: {
      a: { type: 'number' },
      b: { type: 'number' },
      op: { enum: Object.keys(OPERATIONS) },
    },
    required: ['a', 'b', 'op'],
    additionalProperties: false,
  },
  execute: ({ a, b, op }) => OPERATIONS[op]?.(a, b),
})

const model = 'gpt-5.1-codex-max'
const extra = { openai: { store: false } }
const sdk = (name: AISDKModelName) => (baseURL: string) => fromAISDK(aiSDKModel(name, { baseURL, model }))

test.each([
  ['Stepwell', (baseURL: string) => openaiResponses(model, { baseURL }), { reasoning: 'high' } as const],
  ['@ai-sdk/openai 2', sdk('openai 2, responses'), { extra }],
  ['@ai-sdk/openai 3', sdk('openai 3, responses'), { extra }],
  ['@ai-sdk/openai 4', sdk('openai 4, responses'), { extra, reasoning: 'high' } as const],
])(
  'four turns of one loop end with 570, each request with the sealed thoughts before it: %s',
  async (_, open, settings) => {
    const server = await recordingServer(turns.map((path) => ({ body: recording(path, 'openai-responses') })))
    await using agent = createAgent({ model: open(server.url), tools: [calculator], settings })
    const run = agent.run('(12 + 7) * 3 * 10, step by step')
    const { reason, text, usage } = await run.result
    await server.close()

    expect({ reason, text }).toEqual({ reason: 'stop', text: expect.stringContaining('570') })
    expect(usage.run).toMatchObject({
      requests: 4,
      inputTokens: 134 + 221 + 260 + 299,
      outputTokens: 28 + 26 + 26 + 12,
    })
    expect(server.requests).toHaveLength(4)
    let thoughts = 0
    server.requests.forEach((request, n) => {
      const { input, store } = request.json as { input: Item[]; store: boolean }
      const before = turns.slice(0, n).flatMap(itemsOf)
      const sealed = (items: readonly Item[]) =>
        items.filter(({ type }) => type === 'reasoning').map((item) => item.encrypted_content)
      const called = (items: readonly Item[]) =>
        items.filter(({ type }) => type === 'function_call').map((item) => item.call_id)
      expect(store).toBe(false)
      expect(sealed(input)).toEqual(sealed(before))
      expect(called(input)).toEqual(called(before))
      const results = input.filter(({ type }) => type === 'function_call_output').map(({ output }) => output)
      expect(results).toEqual(['19', '57', '570'].slice(0, n))
      thoughts += sealed(input).length
    })
    expect(thoughts).toBeGreaterThan(0)
  },
)
