import { expect, test } from 'vitest'
import { ConfigError } from '../../protocol/errors.ts'
import { fromAISDK } from './from-ai-sdk.ts'
import type { AISDKModel } from './model.ts'

const model = {
  specificationVersion: 'v3',
  provider: 'acme.chat',
  modelId: 'm-1',
  supportedUrls: {},
  doStream: () => Promise.reject(new Error('nobody asks')),
} as const satisfies AISDKModel

test('it is known by its provider, its name and the API', () => {
  const capabilities = { contextWindow: 9 }
  expect(fromAISDK(model, { capabilities })).toMatchObject({
    id: 'acme.chat',
    model: 'm-1',
    api: 'ai-sdk',
    capabilities,
  })
})

test.each([
  ['a name', 'openai/gpt-5.2', 'openai("openai/gpt-5.2")'],
  ['the provider itself', () => model, 'call it with the name of a model'],
  ['nothing', undefined, 'This is undefined'],
  ['null', null, 'This is null'],
  ['an embedding model', { specificationVersion: 'v3', provider: 'p', modelId: 'm', doEmbed: () => {} }, 'embedding'],
  ['an image model', { specificationVersion: 'v3', provider: 'p', modelId: 'm', doGenerate: () => {} }, 'no doStream'],
  ['a model of an older version', { ...model, specificationVersion: 'v1' }, 'this one has v1'],
  ['a model of a later version', { ...model, specificationVersion: 'v5' }, 'Versions v2, v3, v4'],
  ['a model without a version', { ...model, specificationVersion: undefined }, 'this one has none'],
  ['a model without a name', { ...model, modelId: undefined }, 'no provider or modelId'],
])('%s is refused, with what it is', (_, given, told) => {
  let thrown: unknown
  try {
    fromAISDK(given as AISDKModel)
  } catch (error) {
    thrown = error
  }
  expect(thrown).toBeInstanceOf(ConfigError)
  expect(thrown).toMatchObject({ code: 'config.invalid', message: expect.stringContaining(told) })
})
