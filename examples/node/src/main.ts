import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { StepwellError } from '@stepwell/sdk'
import { EXIT_CODES } from '@stepwell/sdk/headless'
import { sqliteStore } from '@stepwell/sdk/sqlite'
import { demoAgent } from './agent.ts'
import { type Arguments, DEFAULT_DB, parseArguments } from './args.ts'
import { chat } from './chat.ts'
import { HELP } from './help.ts'
import { chooseModel } from './model.ts'
import { once } from './once.ts'
import { sessionList } from './sessions.ts'
import { printable } from './terminal/printable.ts'
import { openWorkspace } from './tools/workspace.ts'

/** Of the scripted model, between two words, when somebody watches. */
const PAUSE_MS = 25

async function main(asked: Arguments): Promise<number> {
  switch (asked.do) {
    case 'help':
      process.stdout.write(HELP)
      return 0
    case 'refuse':
      process.stderr.write(`${asked.why}\nTry --help.\n`)
      return EXIT_CODES.invalid
    case 'list':
      process.stdout.write(await listed(asked.db))
      return 0
    case 'chat':
      return talk(asked)
  }
}

async function listed(db: string): Promise<string> {
  if (!existsSync(db)) return sessionList([])
  const store = sqliteStore(db)
  try {
    return sessionList((await store.list()).items)
  } finally {
    await store.close()
  }
}

async function talk({ db, session, model, budget }: Extract<Arguments, { do: 'chat' }>): Promise<number> {
  const chosen = await chooseModel(model, { env: process.env, fetch, pauseMs: process.stdout.isTTY ? PAUSE_MS : 0 })
  if (db === DEFAULT_DB) mkdirSync(dirname(db), { recursive: true })
  const workspace = await openWorkspace(process.cwd())
  const agent = demoAgent({
    model: chosen.model,
    store: sqliteStore(db),
    workspace,
    db,
    ...(budget !== undefined && { dollars: budget }),
  })
  try {
    if (!process.stdin.isTTY || !process.stdout.isTTY) return await once(agent, chosen, session)
    // The terminal is gone. A command that is running goes too: it ends with `exit`.
    for (const signal of ['SIGHUP', 'SIGTERM'] as const) process.on(signal, () => process.exit(EXIT_CODES.aborted))
    await chat(agent, chosen, session)
    return 0
  } finally {
    await agent.close()
  }
}

// The reader of a pipe has seen enough: the session is kept as it is.
process.stdout.on('error', () => process.exit(EXIT_CODES.aborted))

main(parseArguments(process.argv.slice(2))).then(
  (code) => {
    process.exitCode = code
  },
  (thrown: unknown) => {
    const { message } = thrown instanceof Error ? thrown : new Error(String(thrown))
    const code = thrown instanceof StepwellError ? thrown.code : undefined
    const advice = code === 'session.not-found' ? ' --list shows those there are.' : ''
    process.stderr.write(`${printable(message)}${advice}${code === undefined ? '' : ` (${code})`}\n`)
    process.exitCode = 1
  },
)
