import { createAgent } from '@stepwell/sdk'
import { sqliteStore } from '@stepwell/sdk/sqlite'
import { model } from './model.ts'
import { rollDice } from './tools.ts'

export const agent = createAgent({
  model,
  instructions: 'You are a brief and friendly assistant.',
  tools: [rollDice],
  // Sessions outlive the process: start it again, and the conversation goes on.
  store: sqliteStore('agent.db'),
})
