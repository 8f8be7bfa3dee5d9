// How long an abort takes: ms on the clock from `session.abort()` to `run.result`, once while the model streams and once
// while a tool runs that does not listen to its signal. Sends the longer one: `abort.mjs <baseURL>`.
import { createAgent, defineTool } from '@stepwell/sdk'
import { openai } from '@stepwell/sdk/openai'
import { saveInput } from './work/tool.mjs'

const [baseURL] = process.argv.slice(2)
const deaf = defineTool({
  name: 'save',
  description: 'Saves a note.',
  input: saveInput,
  execute: () => new Promise(() => {}),
})

async function abortAt(type, model) {
  const agent = createAgent({ model: openai(model, { baseURL, apiKey: 'bench' }), tools: [deaf] })
  const session = await agent.session()
  const run = session.run('Go.')
  for await (const event of run) if (event.type === type) break
  const start = performance.now()
  const [{ reason }] = await Promise.all([run.result, session.abort()])
  const ms = performance.now() - start
  if (reason !== 'aborted') throw new Error(`The run ended with ${reason}`)
  await agent.close()
  return ms
}

const times = []
// The first round is the warm-up.
for (let round = 0; round < 2; round++) {
  times[round] = Math.max(await abortAt('text-delta', 'endless'), await abortAt('tool-start', 'tool-input:3'))
}
process.send(times[1], () => process.exit())
