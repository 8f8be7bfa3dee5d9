import { resolve, sep } from 'node:path'
import { askUser, createAgent, type ModelProvider, type SessionStore, submitPlan } from '@stepwell/sdk'
import { budget } from '@stepwell/sdk/budget'
import { permissions } from '@stepwell/sdk/permissions'
import { realpath } from '@stepwell/sdk/permissions/node'
import { fileRules } from './rules.ts'
import { fileTools } from './tools/index.ts'
import type { Workspace } from './tools/workspace.ts'

const INSTRUCTIONS = `You help a person in their terminal, in the folder they are in. Look before you answer: list, search and read files rather than guess. All paths are relative to that folder.
Change files and run commands when that is what they want; what changes something is shown to them first, and they may refuse it. For larger work hand in a plan before you begin. Ask when only they can decide. Answer briefly, in plain text.`

export interface DemoOptions {
  readonly model: ModelProvider
  readonly store: SessionStore
  readonly workspace: Workspace
  /** Where the sessions are. What is always allowed stands beside it. */
  readonly db: string
  /** US dollars a session may cost. Default: no limit. */
  readonly dollars?: number
}

export function demoAgent({ model, store, workspace, db, dollars }: DemoOptions) {
  const rules = resolve(`${db.replace(/\.db$/, '')}.rules.json`)
  return createAgent({
    name: 'terminal',
    model,
    store,
    instructions: INSTRUCTIONS,
    tools: [...fileTools(workspace), askUser(), submitPlan()],
    ...(dollars !== undefined && {
      budget: budget([{ per: 'session', cost: { amount: dollars, currency: 'USD' } }]),
    }),
    permissions: permissions({
      level: 'default',
      cwd: asPosix(workspace.root),
      ...(sep === '/' && { realpath }),
      // What a model may do is not for a model to write.
      rules: { deny: ['*(./.stepwell/**)', `*(${asPosix(rules).replace(/[*\\]/g, '\\$&')})`] },
      memory: fileRules(rules),
    }),
  })
}

/** What a session that begins with this text is called. */
export function titleOf(text: string): string {
  const words = text.replace(/\s+/g, ' ').trim()
  return words.length > 60 ? `${words.slice(0, 59).toWellFormed()}…` : words
}

/** An absolute path as permissions know it. */
function asPosix(path: string): string {
  return sep === '/' ? path : `/${path.replaceAll(sep, '/')}`
}
