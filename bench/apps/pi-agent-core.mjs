import { Agent } from '@earendil-works/pi-agent-core'
import { createModels, createProvider } from '@earendil-works/pi-ai'
import { openAICompletionsApi } from '@earendil-works/pi-ai/api/openai-completions.lazy'
import { obj, str } from '@earendil-works/pi-schema'

export async function ask({ baseURL, model }) {
  const save = {
    name: 'save',
    label: 'Save',
    description: 'Saves a note.',
    parameters: obj({ name: str(), content: str() }),
    execute: async () => ({ content: [{ type: 'text', text: 'saved' }], details: {} }),
  }
  const models = createModels()
  models.setProvider(
    createProvider({
      id: 'bench',
      auth: { apiKey: { name: 'Bench', resolve: async () => ({ auth: { apiKey: 'bench' } }) } },
      models: [
        {
          id: model,
          name: model,
          api: 'openai-completions',
          provider: 'bench',
          baseUrl: baseURL,
          reasoning: false,
          input: ['text'],
          cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
          contextWindow: 128_000,
          maxTokens: 32_000,
        },
      ],
      api: openAICompletionsApi(),
    }),
  )
  const agent = new Agent({
    initialState: { systemPrompt: '', model: models.getModel('bench', model), tools: [save] },
    streamFn: models.streamSimple.bind(models),
  })
  await agent.prompt('Go.')
  return agent.state.messages
    .at(-1)
    .content.map((part) => part.text)
    .join('')
}
