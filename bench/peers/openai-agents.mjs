// OpenAI Agents: a streamed run over the Chat Completions model, its whole stream read, without tracing. The text and
// the arguments of a call are pieces of the model's own chunks there: `raw_model_stream_event`.
import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents'
import { saveInput } from '../work/tool.mjs'

export async function run({ baseURL, model }) {
  const seen = { text: 0, input: 0, calls: 0 }
  const save = tool({
    name: 'save',
    description: 'Saves a note.',
    parameters: { ...saveInput, additionalProperties: true },
    strict: false,
    execute() {
      seen.calls++
      return 'saved'
    },
  })
  const runner = new Runner({
    modelProvider: new OpenAIProvider({ baseURL, apiKey: 'bench', useResponses: false }),
    tracingDisabled: true,
  })
  const agent = new Agent({ name: 'bench', model, tools: model.startsWith('text') ? [] : [save] })
  const result = await runner.run(agent, 'Go.', { stream: true, maxTurns: 100 })
  for await (const event of result) {
    if (event.type !== 'raw_model_stream_event') continue
    if (event.data.type === 'output_text_delta') seen.text += event.data.delta.length
    else if (event.data.type === 'model') {
      const calls = event.data.event.choices[0]?.delta.tool_calls
      if (calls) seen.input += calls[0].function.arguments.length
    }
  }
  await result.completed
  return seen
}
