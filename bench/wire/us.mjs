// A Stepwell server with one session, whose model says as many deltas as it is asked for, each by itself.
import { createServer } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import { getRequestListener } from '@hono/node-server'
import { createAgent, memoryStore } from '@stepwell/sdk'
import { createAgentServer } from '@stepwell/sdk/server'
import { word } from './words.mjs'

export async function serve() {
  const store = memoryStore()
  const agent = createAgent({ model: talker(), store })
  const { fetch } = createAgentServer({ agent, authorize: () => ({ id: 'reader' }) })
  const session = await agent.session('s', { principal: 'reader' })
  return {
    server: createServer(getRequestListener(fetch)),
    answers: {
      head: () => session.state.seq,
      say: (deltas) => session.run(String(deltas)).result,
      /** So many events in the log, as an owner would have written them. */
      async fill(count) {
        const lease = await store.acquire('s', { owner: 'bench:1:x', ttlMs: 60_000 })
        const { generation } = lease
        for (let from = 0; from < count; from += 1_000) {
          const events = Array.from({ length: 1_000 }, (_, i) => ({
            type: 'session-updated',
            seq: generation * 2 ** 32 + from + i + 1,
            at: 1,
            title: `Title ${from + i}`,
          }))
          await store.append('s', events, { generation })
        }
        await lease.release()
      },
    },
  }
}

function talker() {
  return {
    id: 'bench/talker',
    model: 'talker',
    api: 'bench',
    capabilities: {},
    async *stream({ messages }) {
      const [asked] = messages.at(-1).parts
      for (let i = 0; i < Number(asked.text); i++) {
        yield [{ type: 'text', part: 0, text: word(i) }]
        await turn()
      }
      yield [{ type: 'done', stop: 'stop', usage: { inputTokens: 1, outputTokens: 1 } }]
    },
  }
}
