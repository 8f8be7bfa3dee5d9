import { createAgent, type ModelProvider, type SessionStore } from '@stepwell/sdk'
import type { Confirm } from './confirm.ts'
import { fileTools } from './tools/index.ts'
import type { Workspace } from './tools/workspace.ts'

const INSTRUCTIONS = `You help a person in their terminal, in the folder they are in. Look before you answer: list, search and read files rather than guess. All paths are relative to that folder.
Change files and run commands when that is what they want; each change is shown to them and they may refuse it. Answer briefly, in plain text.`

export function demoAgent(model: ModelProvider, store: SessionStore, workspace: Workspace, confirm: Confirm) {
  return createAgent({
    name: 'terminal',
    model,
    store,
    instructions: INSTRUCTIONS,
    tools: fileTools(workspace, confirm),
  })
}

/** What a session that begins with this text is called. */
export function titleOf(text: string): string {
  const words = text.replace(/\s+/g, ' ').trim()
  return words.length > 60 ? `${words.slice(0, 59).toWellFormed()}…` : words
}
