import { expect, test } from 'vitest'
import type { AgentEvent } from '../src/protocol/events.ts'
import { makeSeq } from '../src/protocol/seq.ts'
import { memoryStore } from '../src/stores/memory.ts'
import type { SessionStore } from '../src/stores/store.ts'
import { agentWorld, storedEvents } from '../src/testing/agent-world.ts'
import { fold } from './fixtures/survival.ts'

const OLD_EVENTS = 1_500

/** A session with many events, and a run after them: at its end a snapshot is due. */
async function longSession(): Promise<SessionStore> {
  const store = memoryStore({ now: () => 0 })
  await store.create({ id: 's', createdAt: 0 }, { type: 'session-created', seq: 1, at: 0, v: 1 })
  const { generation, release } = await store.acquire('s', { owner: 'h:1:seed', ttlMs: 1 })
  const notices = Array.from({ length: OLD_EVENTS }, (_, i): AgentEvent => {
    return { type: 'notice', seq: makeSeq(generation, i + 1), at: 0, code: 'test', text: `${i}` }
  })
  await store.append('s', notices, { generation })
  await release()
  await say(store, 'First.')
  return store
}

let minted = 0

async function say(store: SessionStore, text: string): Promise<void> {
  const ids = (prefix: string) => `${prefix}_${++minted}`
  const { agent, session } = agentWorld(['Yes.'], { store: { ...store, close: async () => {} }, ids })
  await (await session()).run(text).result
  await agent.close()
}

/** What is read of the log, and the state that comes of it, when an agent opens the session. */
async function opened(store: SessionStore) {
  const read: AgentEvent[] = []
  const watched: SessionStore = {
    ...store,
    async *read(...args) {
      for await (const batch of store.read(...args)) {
        read.push(...batch)
        yield batch
      }
    },
  }
  const { session } = agentWorld([], { store: watched })
  const { state } = await session()
  return { read, state }
}

test('a session with a snapshot is opened by reading what came after it, and nothing else', async () => {
  const store = await longSession()
  const snapshot = await store.snapshot('s')
  expect(snapshot?.seq).toBe((await store.get('s'))?.head)
  expect((await opened(store)).read).toEqual([])

  await say(store, 'Second.')
  expect((await store.snapshot('s'))?.seq).toBe(snapshot?.seq)
  const log = await storedEvents(store)
  const { read, state } = await opened(store)
  expect(read).toEqual(log.filter(({ seq }) => seq > (snapshot?.seq ?? 0)))
  expect(read.length).toBeLessThan(20)
  expect(state).toEqual(fold(log))
})

test('without its snapshot it is the same, read whole', async () => {
  const store = await longSession()
  const { state } = await opened(store)
  const whole = await opened({ ...store, snapshot: async () => undefined })
  expect(whole.read).toEqual(await storedEvents(store))
  expect(whole.state).toEqual(state)
})
