// pi: the `Agent` that keeps a state, over the Chat Completions API of pi-ai, its whole stream of events read.
import { Agent } from '@earendil-works/pi-agent-core'
import { createModels, createProvider } from '@earendil-works/pi-ai'
import { openAICompletionsApi } from '@earendil-works/pi-ai/api/openai-completions.lazy'
import { saveInput } from '../work/tool.mjs'

export async function run({ baseURL, model }) {
  const seen = { text: 0, input: 0, calls: 0 }
  const save = {
    name: 'save',
    label: 'Save',
    description: 'Saves a note.',
    parameters: saveInput,
    async execute() {
      seen.calls++
      return { content: [{ type: 'text', text: 'saved' }], details: {} }
    },
  }
  const models = createModels()
  models.setProvider(
    createProvider({
      id: 'bench',
      name: 'Bench',
      baseUrl: baseURL,
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
    initialState: {
      systemPrompt: '',
      model: models.getModel('bench', model),
      tools: model.startsWith('text') ? [] : [save],
    },
    streamFn: models.streamSimple.bind(models),
  })
  agent.subscribe((event) => {
    if (event.type !== 'message_update') return
    const update = event.assistantMessageEvent
    if (update.type === 'text_delta') seen.text += update.delta.length
    else if (update.type === 'toolcall_delta') seen.input += update.delta.length
  })
  await agent.prompt('Go.')
  if (agent.state.errorMessage) throw new Error(agent.state.errorMessage)
  return seen
}
