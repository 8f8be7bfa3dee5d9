import { describe, test } from 'vitest'
import { fromAISDK } from '../src/ai-sdk.ts'
import { providerConformance } from '../src/testing/provider-conformance.ts'
import type { RecordedApi } from '../src/testing/recording-server.ts'
import { type AISDKModelName, aiSDKModel } from './fixtures/ai-sdk-models.ts'
import { lookReplies } from './fixtures/look-replies.ts'

/** Only the package knows the key, so nobody else can cut it out of what a gateway echoes. */
const THEIRS = 'no key is ever in an error'

const cases: readonly (readonly [AISDKModelName, RecordedApi, keyof typeof lookReplies])[] = [
  ['openai 2, chat', 'openai-chat', 'chat'],
  ['openai 3, responses', 'openai-responses', 'responses'],
  ['openai 4, chat', 'openai-chat', 'chat'],
  ['anthropic 3', 'anthropic', 'anthropic'],
  // Its events are as bare as those of Chat Completions, and the last one of these is passed over.
  ['google 3', 'openai-chat', 'gemini'],
]

describe.each(cases)('%s', (name, api, reply) => {
  const open = (baseURL: string, apiKey: string) => fromAISDK(aiSDKModel(name, { baseURL, apiKey }))
  const rules = providerConformance({ name, api, open, payloads: lookReplies[reply] })
  for (const rule of rules.filter((each) => !each.name.endsWith(THEIRS))) test(rule.name, rule.run)
})
