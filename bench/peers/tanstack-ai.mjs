// TanStack AI: `chat` with the Chat Completions adapter, its whole stream read, JSON Schema instead of zod.
import { chat, maxIterations, toolDefinition } from '@tanstack/ai'
import { createOpenaiChatCompletions } from '@tanstack/ai-openai'
import { saveInput } from '../work/tool.mjs'

export async function run({ baseURL, model }) {
  const seen = { text: 0, input: 0, calls: 0 }
  const save = toolDefinition({ name: 'save', description: 'Saves a note.', inputSchema: saveInput }).server(() => {
    seen.calls++
    return 'saved'
  })
  const stream = chat({
    adapter: createOpenaiChatCompletions(model, 'bench', { baseURL }),
    messages: [{ role: 'user', content: 'Go.' }],
    tools: model.startsWith('text') ? [] : [save],
    agentLoopStrategy: maxIterations(100),
    debug: false,
  })
  for await (const chunk of stream) {
    if (chunk.type === 'TEXT_MESSAGE_CONTENT') seen.text += chunk.delta.length
    else if (chunk.type === 'TOOL_CALL_ARGS') seen.input += chunk.delta.length
    else if (chunk.type === 'RUN_ERROR') throw new Error(chunk.message)
  }
  return seen
}
