import { ConfigError, type ModelProvider, StepwellError } from '@stepwell/sdk'
import { anthropic } from '@stepwell/sdk/anthropic'
import { modelInfo } from '@stepwell/sdk/models'
import { openai } from '@stepwell/sdk/openai'
import { openaiResponses } from '@stepwell/sdk/openai-responses'
import type { ModelArguments } from './args.ts'
import { findLocalModel, firstModel } from './local-models.ts'
import { scriptedDemo } from './scripted/index.ts'

const OPENAI_MODEL = 'gpt-5.2'
const ANTHROPIC_MODEL = 'claude-sonnet-4-5'
const LIST_MS = 5_000

export interface ChosenModel {
  readonly model: ModelProvider
  /** Where it was found, for people. */
  readonly from: string
}

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly fetch: typeof fetch
  /** The scripted model's pause between two words, in ms. */
  readonly pauseMs: number
}

/** The model that is asked for, or the first that is there. Rejects with a `ConfigError` that says what to give. */
export async function chooseModel({ name, baseURL }: ModelArguments, around: Surroundings): Promise<ChosenModel> {
  const { env, fetch, pauseMs } = around
  if (name === 'scripted') return { model: scriptedDemo(pauseMs), from: 'as asked' }

  const [, api, named] = /^(openai|responses|anthropic):(.+)$/.exec(name ?? '') ?? []
  if (api !== undefined && named !== undefined) {
    const vendor = api === 'anthropic' ? 'anthropic' : 'openai'
    const at = baseURL === undefined ? { capabilities: modelInfo(vendor, named) } : { baseURL }
    const make = { openai, responses: openaiResponses, anthropic }[api as 'openai' | 'responses' | 'anthropic']
    return { model: make(named, at), from: baseURL ?? `${api === 'anthropic' ? 'Anthropic' : 'OpenAI'}’s API` }
  }

  if (baseURL !== undefined) {
    return { model: openai(name ?? (await listed(baseURL, fetch)), { baseURL }), from: baseURL }
  }
  if (env.OPENAI_API_KEY?.trim()) {
    const named = name ?? OPENAI_MODEL
    return { model: openai(named, { capabilities: modelInfo('openai', named) }), from: 'OPENAI_API_KEY' }
  }
  if (env.ANTHROPIC_API_KEY?.trim()) {
    const named = name ?? ANTHROPIC_MODEL
    return { model: anthropic(named, { capabilities: modelInfo('anthropic', named) }), from: 'ANTHROPIC_API_KEY' }
  }

  const local = await findLocalModel(fetch)
  if (local) return { model: openai(name ?? local.model, { baseURL: local.baseURL }), from: local.server }
  if (name !== undefined) {
    throw new ConfigError(
      'config.missing-key',
      `Nobody is here to ask for the model ${JSON.stringify(name)}. Set OPENAI_API_KEY or ANTHROPIC_API_KEY, start Ollama or LM Studio, or give --base-url.`,
    )
  }
  return { model: scriptedDemo(pauseMs), from: 'no API key and no local model was found' }
}

async function listed(baseURL: string, fetch: Surroundings['fetch']): Promise<string> {
  const advice = 'Give --model NAME.'
  try {
    const model = await firstModel(baseURL, fetch, LIST_MS)
    if (model !== undefined) return model
    throw new ConfigError('config.invalid', `${baseURL} lists no model. ${advice}`)
  } catch (thrown) {
    if (thrown instanceof StepwellError) throw thrown
    throw new ConfigError('config.invalid', `${baseURL} did not list its models. ${advice}`, { cause: thrown })
  }
}
