import { expect, onTestFinished, test } from 'vitest'
import { createAgent, reduce } from '../index.ts'
import type { AgentEvent } from '../protocol/events.ts'
import { initialState, type SessionState } from '../protocol/state.ts'
import { scriptedModel } from '../testing/index.ts'

test('a plugin that observes is shown every event once, in order, with the state after it; one that throws harms nobody', async () => {
  const seen: AgentEvent[] = []
  let last: SessionState | undefined
  const logged: unknown[] = []
  const agent = createAgent({
    model: scriptedModel(['Hello.', 'Again.']),
    logger: { log: (level, message, details) => logged.push([level, message, details]) },
    plugins: [
      {
        name: 'broken',
        priority: 1,
        observe: () => {
          throw new Error('Broken.')
        },
      },
      {
        name: 'watcher',
        observe(events, state) {
          seen.push(...events)
          last = state
        },
      },
    ],
  })
  onTestFinished(() => agent.close({ drainMs: 0 }))
  const session = await agent.session('s')
  const created = session.state
  expect(await session.run('Hi.').text()).toBe('Hello.')
  expect(await session.run('Hi again.').text()).toBe('Again.')

  const seqs = seen.map(({ seq }) => seq)
  expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b))
  expect(seen.filter(({ type }) => type === 'run-start' || type === 'finish')).toHaveLength(4)
  expect(reduce(created, seen)).toEqual(last)
  expect(last).toEqual(session.state)
  expect(reduce(initialState('s'), seen).history).toHaveLength(4)
  expect(logged[0]).toEqual(['error', expect.stringContaining('observes'), { plugin: 'broken', error: 'Broken.' }])
})
