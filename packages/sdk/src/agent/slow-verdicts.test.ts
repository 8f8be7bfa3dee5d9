import { describe, expect, test } from 'vitest'
import type { Decision, PermissionPolicy } from '../protocol/permissions.ts'
import { agentWorld, collect, ofType, results, stateWhere, storedEvents } from '../testing/agent-world.ts'
import { brokenPromises } from '../testing/promises.ts'
import { hold } from '../testing/recording-server.ts'
import { never, tool } from '../testing/tool-call.ts'
import { VERDICT_WAIT_MS } from './defaults.ts'
// Loaded when a call first needs them: here before, so that time moves on only when everything waits for it.
import './rare.ts'
import '../tools/json-validator.ts'

const ALLOW: Decision = { verdict: 'allow', by: 'rule', reason: 'The rule says so.' }
const ASK: Decision = { verdict: 'ask', by: 'rule', reason: 'The rule says so.' }

/** Everything that is about to happen, happens. */
async function quiet(): Promise<void> {
  for (let i = 0; i < 4; i++) await new Promise<void>((resolve) => setImmediate(resolve))
}

/** A reply with a call for each effect, of which `decide` hears the place. */
function worldOf(effects: readonly ('read' | 'write')[], decide: (n: number) => Decision | Promise<Decision>) {
  const order: number[] = []
  const execute = (input: object): string => {
    const { n } = input as { n: number }
    order.push(n)
    return `ran ${n}`
  }
  const tools = (['read', 'write'] as const).map((effect) => tool(execute, { name: effect, effect }))
  const permissions: PermissionPolicy = { decide: ({ input }) => decide(input.n as number) }
  const calls = effects.map((name, n) => ({ name, input: { n } }))
  return { ...agentWorld([{ calls }, 'Done.'], { tools, permissions }), order }
}

const doneOf = (state: Parameters<typeof results>[0]): string[] => results(state).map(({ output }) => `${output}`)

describe('a verdict that is slow', () => {
  test.each(['read', 'write'] as const)('holds back its own call and no other: behind it %s', async (effect) => {
    const verdict = hold()
    const world = worldOf(['write', effect, 'write'], async (n) => {
      if (n === 0) await verdict.opened
      return ALLOW
    })
    const session = await world.session()
    const run = session.run('Go')
    await quiet()
    expect(doneOf(session.state)).toEqual(effect === 'read' ? ['ran 1'] : [])
    world.clock.advance(VERDICT_WAIT_MS)
    await stateWhere(session, (state) => results(state).length === 2)
    expect([session.state.status, doneOf(session.state)]).toEqual(['running', ['ran 1', 'ran 2']])
    verdict.open()
    expect(await run.result).toMatchObject({ reason: 'stop' })
    expect(doneOf(session.state)).toEqual(['ran 0', 'ran 1', 'ran 2'])
    expect(brokenPromises(await storedEvents(world.store))).toEqual([])
    await world.agent.close()
    expect(world.clock.pending).toBe(0)
  })

  test('that comes within a second leaves calls that run alone in their order', async () => {
    const verdict = hold()
    const world = worldOf(['write', 'write', 'read'], async (n) => {
      if (n === 0) await verdict.opened
      return ALLOW
    })
    const session = await world.session()
    const run = session.run('Go')
    await quiet()
    world.clock.advance(VERDICT_WAIT_MS - 1)
    await quiet()
    verdict.open()
    await run.result
    expect(world.order).toEqual([2, 0, 1])
  })

  test('does not keep an answer to another call waiting, and the run does not park over it', async () => {
    const verdict = hold()
    const world = worldOf(['write', 'write'], async (n) => {
      if (n === 1) return ASK
      await verdict.opened
      return ALLOW
    })
    const session = await world.session()
    const run = session.run('Go')
    await stateWhere(session, ({ pending }) => pending.requests.length === 1)
    await quiet()
    expect(session.state.status).toBe('running')
    await session.resolve('req_call_2', 'allow-once')
    await quiet()
    world.clock.advance(VERDICT_WAIT_MS)
    await stateWhere(session, (state) => results(state).length === 1)
    expect(world.order).toEqual([1])
    verdict.open()
    expect(await run.result).toMatchObject({ reason: 'stop' })
    expect(world.order).toEqual([1, 0])
  })

  test('ends with the run: an abort waits for none, and one that comes later starts nothing', async () => {
    const verdict = hold()
    const world = worldOf(['write', 'write', 'read'], (n) => {
      if (n === 2) return never()
      return n === 1 ? ALLOW : verdict.opened.then(() => ALLOW)
    })
    const session = await world.session()
    const run = session.run('Go')
    const events = collect(run)
    await quiet()
    await session.abort()
    verdict.open()
    expect(await run.result).toMatchObject({ reason: 'aborted' })
    await quiet()
    expect(results(session.state).map(({ outcome }) => outcome)).toEqual(['aborted', 'aborted', 'aborted'])
    expect([world.order, ofType(await events, 'tool-start')]).toEqual([[], []])
    await world.agent.close()
    expect(world.clock.pending).toBe(0)
  })
})
