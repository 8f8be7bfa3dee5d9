// An agent that lives wholly in the page: model, tool, store.
import { createAgent } from '../../src/agent/create-agent.ts'
import type { Session } from '../../src/agent/run-settings.ts'
import { reduce } from '../../src/protocol/reduce.ts'
import { initialState, type SessionState } from '../../src/protocol/state.ts'
import { indexedDBStore } from '../../src/stores/indexeddb/index.ts'
import { storedEvents } from '../../src/testing/agent-world.ts'
import { type ScriptedStep, scriptedModel } from '../../src/testing/scripted-model.ts'
import { defineTool } from '../../src/tools/define-tool.ts'

const store = indexedDBStore('agent')

/** Writes to what outlives the page, so that doing it twice would show. */
const buy = defineTool({
  name: 'buy',
  description: 'Buys milk.',
  input: { type: 'object', properties: {}, additionalProperties: false },
  effect: 'write',
  execute: () => {
    localStorage.setItem('bought', String(Number(localStorage.getItem('bought')) + 1))
    return 'bought'
  },
})

let session: Session | undefined

async function open(steps: readonly ScriptedStep[]): Promise<Session> {
  session = await createAgent({ model: scriptedModel(steps), tools: [buy], store }).session('s')
  // As a page does that shows it.
  session.subscribe(() => {})
  return session
}

/** Buys, begins to say so, and never gets to the end of it. */
export async function begin(): Promise<void> {
  const opened = await open([
    { text: 'I will buy milk.', calls: [{ name: 'buy' }] },
    { text: 'The milk is', beforeEnd: () => new Promise(() => {}) },
  ])
  opened.run('Buy milk.')
}

export async function reopen(): Promise<void> {
  await open(['The milk is bought.'])
}

export async function goOn(): Promise<string> {
  return (await session?.continue().result)?.reason ?? 'none'
}

export interface Seen {
  /** What this page shows. */
  readonly shown: SessionState | undefined
  /** What the store says by itself. */
  readonly folded: SessionState
  readonly types: readonly string[]
  readonly bought: number
}

export async function look(): Promise<Seen> {
  const events = await storedEvents(store, 's')
  return {
    shown: session?.state,
    folded: reduce(initialState('s'), events),
    types: events.map(({ type }) => type),
    bought: Number(localStorage.getItem('bought')),
  }
}

export async function rename(title: string): Promise<string> {
  return (await session?.update({ title }))?.status ?? 'none'
}
