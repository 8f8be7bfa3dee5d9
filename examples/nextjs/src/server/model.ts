import type { ModelProvider } from '@stepwell/sdk'
import { anthropic } from '@stepwell/sdk/anthropic'
import { modelInfo } from '@stepwell/sdk/models'
import { openai } from '@stepwell/sdk/openai'
import { scriptedDemo } from './scripted/index.ts'

const OPENAI_MODEL = 'gpt-5.2'
const ANTHROPIC_MODEL = 'claude-sonnet-4-5'
/** Between two words of the scripted model, ms. */
const PAUSE_MS = 28

/** The model there is a key of, or a script that shows everything without one. */
export function chooseModel(env: Readonly<Record<string, string | undefined>>): ModelProvider {
  if (env.OPENAI_API_KEY?.trim()) {
    const name = env.OPENAI_MODEL ?? OPENAI_MODEL
    return openai(name, { capabilities: modelInfo('openai', name) })
  }
  if (env.ANTHROPIC_API_KEY?.trim()) {
    const name = env.ANTHROPIC_MODEL ?? ANTHROPIC_MODEL
    return anthropic(name, { capabilities: modelInfo('anthropic', name) })
  }
  return scriptedDemo(Number(env.STEPWELL_PAUSE_MS ?? PAUSE_MS))
}
