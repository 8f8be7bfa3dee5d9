// It brings zod itself: with zod/mini beside it the bundle is no smaller.
import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents'
import * as z from 'zod'

export async function ask({ baseURL, model }) {
  const save = tool({
    name: 'save',
    description: 'Saves a note.',
    parameters: z.object({ name: z.string(), content: z.string() }),
    execute: () => 'saved',
  })
  const modelProvider = new OpenAIProvider({ baseURL, apiKey: 'bench', useResponses: false })
  const runner = new Runner({ modelProvider, tracingDisabled: true })
  const result = await runner.run(new Agent({ name: 'bench', model, tools: [save] }), 'Go.', { stream: true })
  await result.completed
  return result.finalOutput
}
