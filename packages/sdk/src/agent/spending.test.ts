import { expect, test } from 'vitest'
import { budget } from '../budget/index.ts'
import type { Receipt } from '../protocol/commands.ts'
import { memoryStore } from '../stores/memory.ts'
import { agentWorld } from '../testing/agent-world.ts'
import { microtasks } from '../testing/microtasks.ts'
import { hold } from '../testing/recording-server.ts'

const LIMITS = budget([{ per: 'total', tokens: 100_000 }])

test('what is reserved for a run that was stopped meanwhile is given back', async () => {
  const store = memoryStore()
  const [asked, slow, settled] = [hold(), hold(), hold()]
  const { ledger } = store
  const world = agentWorld([], {
    store: {
      ...store,
      ledger: {
        ...ledger,
        async reserve(...reservation) {
          asked.open()
          await slow.opened
          return ledger.reserve(...reservation)
        },
        async settle(...settlement) {
          const answer = await ledger.settle(...settlement)
          settled.open()
          return answer
        },
      },
    },
    budget: LIMITS,
  })
  const session = await world.session()
  const run = session.run('Hello')
  await asked.opened
  await session.abort()
  expect(await run.result).toMatchObject({ reason: 'aborted' })
  slow.open()
  await settled.opened
  expect(await ledger.spent({ name: 'total' })).toEqual({ tokens: 0, costs: [], unpriced: 0 })
  expect(await ledger.open('s')).toEqual([])
})

test('a request that never left, since its run was stopped, costs nothing', async () => {
  const store = memoryStore()
  let stop: (() => Promise<Receipt>) | undefined
  const world = agentWorld([], {
    store: {
      ...store,
      async append(id, events, options) {
        if (events.some(({ type }) => type === 'turn-start')) {
          void stop?.()
          await microtasks()
        }
        return store.append(id, events, options)
      },
    },
    budget: LIMITS,
  })
  const session = await world.session()
  stop = () => session.abort()
  expect(await session.run('Hello').result).toMatchObject({
    reason: 'aborted',
    usage: { run: { inputTokens: 0, outputTokens: 0 } },
  })
  expect(world.model.requests).toEqual([])
  expect(await store.ledger.spent({ name: 'total' })).toEqual({ tokens: 0, costs: [], unpriced: 0 })
  expect(session.state.usage.context?.used).toBeGreaterThan(0)
})
