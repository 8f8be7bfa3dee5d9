// Opens the session of a file as an app does after a restart.
import { createAgent } from '@stepwell/sdk'
import { openai } from '@stepwell/sdk/openai'
import { sqliteStore } from '@stepwell/sdk/sqlite'

export async function run({ file }) {
  const agent = createAgent({ model: openai('bench', { apiKey: 'bench' }), store: sqliteStore(file) })
  const { state } = await agent.session('long')
  await agent.close()
  return { messages: state.history.length }
}
