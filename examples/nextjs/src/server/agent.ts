import { type Agent, askUser, createAgent } from '@stepwell/sdk'
import { permissions } from '@stepwell/sdk/permissions'
import { type AgentServer, createAgentServer } from '@stepwell/sdk/server'
import { sqliteStore } from '@stepwell/sdk/sqlite'
import { dataFile } from './data.ts'
import { chooseModel } from './model.ts'
import { editFile } from './tools/edit-file.ts'
import { readFile } from './tools/read-file.ts'
import { runChecks } from './tools/run-checks.ts'
import { userOfRequest } from './users.ts'

const INSTRUCTIONS = `You help a developer with a small TypeScript project. Look at files before you speak of them.
Change files with edit_file; each change is shown to the person first. Run the checks after a change.
Ask with ask_user when only the person can decide. Answer in Markdown, in the language of the person.`

/** How long runs at work may take to end when the process is asked to. */
const DRAIN_MS = 1_000

interface Served {
  readonly agent: Agent
  readonly server: AgentServer
}

/** Next.js bundles pages and routes apart. There is one store and one owner of sessions in this process. */
const place = globalThis as { stepwellExample?: Served }

function served(): Served {
  place.stepwellExample ??= serve()
  return place.stepwellExample
}

export function agent(): Agent {
  return served().agent
}

export function agentServer(): AgentServer {
  return served().server
}

function serve(): Served {
  const made = createAgent({
    name: 'Example',
    model: chooseModel(process.env),
    instructions: INSTRUCTIONS,
    tools: [readFile, editFile, runChecks, askUser()],
    store: sqliteStore(dataFile('sessions.db')),
    permissions: permissions({ cwd: '/shop', rules: { allow: ['run_checks'] } }),
  })
  const server = createAgentServer({
    agent: made,
    authorize: userOfRequest,
    uploads: { mediaTypes: ['image/*', 'text/*', 'application/pdf', 'application/json'] },
    basePath: '/api/agent',
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void end({ agent: made, server }))
  return { agent: made, server }
}

/** Left alone, Next.js waits until no connection is open, and browsers keep theirs. */
async function end({ agent, server }: Served): Promise<void> {
  await server.close({ drainMs: DRAIN_MS })
  await agent.close({ drainMs: 0 })
  process.exit()
}
