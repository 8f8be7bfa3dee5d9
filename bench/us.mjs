// Stepwell as its guide shows it: a run read event by event, on the memory store or on a SQLite file.
import { createAgent, defineTool } from '@stepwell/sdk'
import { openai } from '@stepwell/sdk/openai'
import { saveInput } from './work/tool.mjs'

export async function run({ baseURL, model, store }) {
  const seen = { text: 0, input: 0, calls: 0 }
  const save = defineTool({
    name: 'save',
    description: 'Saves a note.',
    input: saveInput,
    execute() {
      seen.calls++
      return 'saved'
    },
  })
  const agent = createAgent({
    model: openai(model, { baseURL, apiKey: 'bench' }),
    tools: model.startsWith('text') ? [] : [save],
    maxTurns: 100,
    ...(store && { store }),
  })
  for await (const event of agent.run('Go.')) {
    if (event.type === 'text-delta') seen.text += event.text.length
    else if (event.type === 'tool-input-delta') seen.input += event.text.length
    else if (event.type === 'finish' && event.reason !== 'stop') throw new Error(JSON.stringify(event))
  }
  await agent.close()
  return seen
}
