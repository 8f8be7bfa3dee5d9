import { expect, test } from 'vitest'
import { memoryStore } from '../stores/memory.ts'
import { agentWorld, results, stateWhere, storedEvents } from '../testing/agent-world.ts'
import { manualClock } from '../testing/manual-clock.ts'
import { brokenPromises } from '../testing/promises.ts'
import { hold } from '../testing/recording-server.ts'
import { never } from '../testing/tool-call.ts'
import { defineTool } from '../tools/define-tool.ts'

test.each([1, 2])(
  'a parked run whose process dies %i append(s) after its abort ends where it is opened next',
  async (appends) => {
    const clock = manualClock(1_000_000)
    const store = memoryStore({ now: clock.now })
    const pay = defineTool({
      name: 'pay',
      description: 'Pays.',
      input: { type: 'object' },
      needsApproval: true,
      execute: () => 'paid',
    })
    const dead = hold()
    let left = Number.POSITIVE_INFINITY
    const world = agentWorld([{ calls: [{ name: 'pay' }] }], {
      tools: [pay],
      clock,
      store: {
        ...store,
        async append(id, events, options) {
          if (events.some(({ type }) => type === 'abort')) left = appends
          if (left > 0) await store.append(id, events, options)
          if (--left > 0) return
          dead.open()
          await never()
        },
      },
    })
    const session = await world.session()
    session.run('Pay.')
    await stateWhere(session, ({ status }) => status === 'waiting')
    void session.abort()
    await dead.opened

    clock.advance(20_000)
    const next = await agentWorld([], { tools: [pay], clock, store }).session()
    expect((await stateWhere(next, ({ status }) => status === 'idle')).lastFinish?.reason).toBe('aborted')
    expect(results(next.state)).toMatchObject([{ outcome: 'aborted' }])
    expect(brokenPromises(await storedEvents(store))).toEqual([])
  },
)
