import { ConfigError } from '../../protocol/errors.ts'
import { anthropic } from '../../providers/anthropic/index.ts'
import { openai } from '../../providers/openai-chat/index.ts'
import { openaiResponses } from '../../providers/openai-responses/index.ts'
import type { ModelCapabilities, ModelProvider } from '../../providers/provider.ts'
import type { ModelArguments } from './arguments.node.ts'

const MAKE = { openai, 'openai-responses': openaiResponses, anthropic }

/** Rejects with `config.missing-key` where the variable that is to hold the key does not. */
export async function modelFor({ name, provider, baseURL, keyEnv }: ModelArguments): Promise<ModelProvider> {
  const apiKey = keyEnv === undefined ? undefined : process.env[keyEnv]?.trim()
  if (keyEnv !== undefined && !apiKey) {
    throw new ConfigError('config.missing-key', `--key-env: the environment variable ${keyEnv} is not set.`)
  }
  return MAKE[provider](name, {
    ...(apiKey !== undefined && { apiKey }),
    ...(baseURL === undefined ? { capabilities: await known(provider, name) } : { baseURL }),
  })
}

/** Prices and the context window, where their optional package is installed. */
async function known(provider: ModelArguments['provider'], name: string): Promise<ModelCapabilities> {
  try {
    const { modelInfo } = await import('../../providers/models/index.ts')
    return modelInfo(provider === 'anthropic' ? 'anthropic' : 'openai', name)
  } catch {
    return {}
  }
}
