import { findProvider } from '@pydantic/genai-prices'
import { describe, expect, test } from 'vitest'
import { costOf } from '../../budget/index.ts'
import { modelInfo } from './index.ts'

describe('modelInfo', () => {
  test('knows prices and context window of a model', () => {
    expect(modelInfo('openai', 'gpt-5.2')).toEqual({
      contextWindow: 400_000,
      pricing: { currency: 'USD', input: 1.75, output: 14, cacheRead: 0.175 },
    })
  })

  test('knows the prices of long inputs', () => {
    expect(modelInfo('google', 'gemini-2.5-pro').pricing).toEqual({
      currency: 'USD',
      input: 1.25,
      output: 10,
      cacheRead: 0.125,
      tiers: [{ aboveInputTokens: 200_000, input: 2.5, output: 15, cacheRead: 0.25 }],
    })
  })

  test('knows dated names and other names of a provider', () => {
    expect(modelInfo('anthropic', 'claude-sonnet-4-5-20250929')).toEqual(modelInfo('anthropic', 'claude-sonnet-4-5'))
    expect(modelInfo('xai', 'grok-4').pricing).toEqual(modelInfo('x-ai', 'grok-4').pricing)
  })

  test('tells the highest of prices that change with the hour', () => {
    const { pricing } = modelInfo('deepseek', 'deepseek-reasoner')
    expect(pricing).toMatchObject({ input: 0.55, output: 2.19, cacheRead: 0.14 })
  })

  test.each([
    ['openai', 'gpt-99'],
    ['my-proxy', 'gpt-5'],
    ['localhost', 'llama3'],
    ['constructor', '__proto__'],
  ])('does not guess: %s %s is unknown', (provider, model) => {
    expect(modelInfo(provider, model)).toEqual({})
  })

  test('gives no price per token where calls are charged beside their tokens', () => {
    expect(modelInfo('perplexity', 'sonar-pro')).not.toHaveProperty('pricing')
  })

  test('gives only prices that can be counted with, for every model of the registry', () => {
    let priced = 0
    for (const provider of [
      'anthropic',
      'openai',
      'google',
      'openrouter',
      'deepseek',
      'mistral',
      'groq',
      'x-ai',
      'aws',
    ]) {
      for (const { id } of findProvider({ providerId: provider })?.models ?? []) {
        const { pricing, contextWindow = 1 } = modelInfo(provider, id)
        expect(contextWindow).toBeGreaterThan(0)
        if (!pricing) continue
        priced++
        for (const inputTokens of [1, 1_000_000]) {
          const cost = costOf({ inputTokens, outputTokens: 1_000 }, pricing)
          expect(cost?.amount, `${provider} ${id}`).toBeGreaterThanOrEqual(0)
        }
      }
    }
    expect(priced).toBeGreaterThan(500)
  })
})
