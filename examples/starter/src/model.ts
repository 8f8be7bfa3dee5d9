import type { ModelProvider } from '@stepwell/sdk'
import { anthropic } from '@stepwell/sdk/anthropic'
import { openai } from '@stepwell/sdk/openai'
import { scriptedModel } from '@stepwell/sdk/testing'

export const model: ModelProvider = process.env.OPENAI_API_KEY
  ? openai('gpt-5.2')
  : process.env.ANTHROPIC_API_KEY
    ? anthropic('claude-sonnet-4-5')
    : scripted()

/** Without a key the same two replies in turn, so that everything can be tried offline. */
function scripted(): ModelProvider {
  let asked = 0
  const reply = () =>
    asked++ % 2 === 0
      ? { calls: [{ name: 'roll_dice', input: { sides: 6 } }] }
      : { text: 'I rolled the dice for you. Set OPENAI_API_KEY or ANTHROPIC_API_KEY, and I can talk about it.' }
  return scriptedModel([reply], { repeat: true })
}
