import { expect, test } from 'vitest'
import { memoryStore } from '../stores/memory.ts'
import type { SessionStore } from '../stores/store.ts'
import { agentWorld, collect, stateWhere, types } from '../testing/agent-world.ts'
import { hold } from '../testing/recording-server.ts'

test('a store that cannot release a lease keeps nobody waiting when the agent closes', async () => {
  const base = memoryStore()
  let isClosed = false
  const store: SessionStore = {
    ...base,
    async acquire(...args) {
      const lease = await base.acquire(...args)
      return { ...lease, release: () => Promise.reject(new Error('The disk is gone.')) }
    },
    async close() {
      isClosed = true
    },
  }
  const { agent, session } = agentWorld([{ text: 'Once', beforeEnd: () => hold().opened }], { store })
  const opened = await session()
  const run = opened.run('Tell me a story.')
  await stateWhere(opened, ({ pending }) => pending.message !== undefined)
  const reading = collect(opened.events())

  await agent.close({ drainMs: 0 })
  expect(await run.result).toMatchObject({ reason: 'error', error: { code: 'session.closed' } })
  expect(types(await reading)).toContain('input')
  expect(isClosed).toBe(true)
})
