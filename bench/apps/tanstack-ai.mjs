// It asks a schema for its JSON Schema in a way that zod has and zod/mini has not.
import { chat, maxIterations, toolDefinition } from '@tanstack/ai'
import { createOpenaiChatCompletions } from '@tanstack/ai-openai'
import * as z from 'zod'

export async function ask({ baseURL, model }) {
  const save = toolDefinition({
    name: 'save',
    description: 'Saves a note.',
    inputSchema: z.object({ name: z.string(), content: z.string() }),
  }).server(() => 'saved')
  const stream = chat({
    adapter: createOpenaiChatCompletions(model, 'bench', { baseURL }),
    messages: [{ role: 'user', content: 'Go.' }],
    tools: [save],
    agentLoopStrategy: maxIterations(9),
  })
  let text = ''
  for await (const chunk of stream) if (chunk.type === 'TEXT_MESSAGE_CONTENT') text += chunk.delta
  return text
}
