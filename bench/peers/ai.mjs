// AI SDK: `streamText` over the Chat Completions provider, its whole stream read, JSON Schema instead of zod.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { isLoopFinished, jsonSchema, streamText, tool } from 'ai'
import { saveInput } from '../work/tool.mjs'

export async function run({ baseURL, model }) {
  const seen = { text: 0, input: 0, calls: 0 }
  const save = tool({
    description: 'Saves a note.',
    inputSchema: jsonSchema(saveInput),
    execute() {
      seen.calls++
      return 'saved'
    },
  })
  const bench = createOpenAICompatible({ name: 'bench', baseURL, apiKey: 'bench' })
  const { stream } = streamText({
    model: bench(model),
    prompt: 'Go.',
    tools: model.startsWith('text') ? {} : { save },
    stopWhen: isLoopFinished(),
  })
  for await (const part of stream) {
    if (part.type === 'text-delta') seen.text += part.text.length
    else if (part.type === 'tool-input-delta') seen.input += part.delta.length
    else if (part.type === 'error') throw part.error
  }
  return seen
}
