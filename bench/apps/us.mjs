import { createAgent, defineTool } from '@stepwell/sdk'
import { openai } from '@stepwell/sdk/openai'
import * as z from 'zod/mini'

export async function ask({ baseURL, model }) {
  const save = defineTool({
    name: 'save',
    description: 'Saves a note.',
    input: z.object({ name: z.string(), content: z.string() }),
    execute: () => 'saved',
  })
  const agent = createAgent({ model: openai(model, { baseURL, apiKey: 'bench' }), tools: [save] })
  const { text } = await agent.run('Go.').result
  await agent.close()
  return text
}
