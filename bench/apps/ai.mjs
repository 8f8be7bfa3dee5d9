import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { isLoopFinished, streamText, tool } from 'ai'
import * as z from 'zod/mini'

export async function ask({ baseURL, model }) {
  const save = tool({
    description: 'Saves a note.',
    inputSchema: z.object({ name: z.string(), content: z.string() }),
    execute: () => 'saved',
  })
  const bench = createOpenAICompatible({ name: 'bench', baseURL, apiKey: 'bench' })
  return streamText({ model: bench(model), prompt: 'Go.', tools: { save }, stopWhen: isLoopFinished() }).text
}
