// A Stepwell server whose sessions are all at work, one run after another, in a SQLite file.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { getRequestListener } from '@hono/node-server'
import { createAgent } from '@stepwell/sdk'
import { createAgentServer } from '@stepwell/sdk/server'
import { sqliteStore } from '@stepwell/sdk/sqlite'
import { word } from './words.mjs'

const WORDS = 20
const PAUSE_MS = 500

export async function serve() {
  const directory = mkdtempSync(join(tmpdir(), 'stepwell-bench-'))
  process.on('exit', () => rmSync(directory, { recursive: true }))
  const store = sqliteStore(join(directory, 'bench.db'))
  const agent = createAgent({ model: talker(), store })
  const app = createAgentServer({ agent, authorize: () => ({ id: 'reader' }) })
  const reasons = {}
  let isOver = false
  let work = []

  async function keepRunning(session) {
    while (!isOver) {
      const { reason } = await session.run('Go on.').result
      reasons[reason] = (reasons[reason] ?? 0) + 1
      // So that what is held of a session does not grow.
      if (!isOver) await session.rewind()
    }
  }

  return {
    server: createServer(getRequestListener(app.fetch)),
    answers: {
      async open(count) {
        const opened = Array.from({ length: count }, (_, i) => agent.session(`s${i}`, { principal: 'reader' }))
        const sessions = await Promise.all(opened)
        work = sessions.map(keepRunning)
      },
      /** Lets the runs end, tells the readers to come back, and closes. Gives how runs ended, and which sessions did not. */
      async close() {
        isOver = true
        await app.close()
        await Promise.all(work)
        const { items } = await agent.sessions({ limit: 1_000 })
        const open = items.filter(({ openRun }) => openRun !== undefined).length
        await agent.close()
        return { reasons, open }
      },
    },
  }
}

function talker() {
  let said = 0
  return {
    id: 'bench/talker',
    model: 'talker',
    api: 'bench',
    capabilities: {},
    async *stream() {
      for (let i = 0; i < WORDS; i++) {
        await delay(PAUSE_MS * (0.5 + Math.random()))
        yield [{ type: 'text', part: 0, text: word(said++) }]
      }
      yield [{ type: 'done', stop: 'stop', usage: { inputTokens: 1, outputTokens: WORDS } }]
    },
  }
}
