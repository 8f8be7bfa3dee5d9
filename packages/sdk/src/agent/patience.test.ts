import { describe, expect, test } from 'vitest'
import type { CompliancePolicy } from '../protocol/compliance.ts'
import { memoryStore } from '../stores/memory.ts'
import { agentWorld, stateWhere } from '../testing/agent-world.ts'
import { microtasks } from '../testing/microtasks.ts'
import { hold } from '../testing/recording-server.ts'
import { never } from '../testing/tool-call.ts'

/** A policy that never says anything about a second input. */
function deafPolicy() {
  const asked = hold()
  let inputs = 0
  const policy: CompliancePolicy = {
    input() {
      if (++inputs === 1) return { action: 'allow' }
      asked.open()
      return never()
    },
    output: () => ({ push: (text) => ({ action: 'allow', text }), end: () => ({ action: 'allow', text: '' }) }),
  }
  return { policy, asked: asked.opened }
}

async function talking() {
  const { policy, asked } = deafPolicy()
  const world = agentWorld([{ text: 'Well', beforeEnd: never }], { compliance: policy })
  const session = await world.session()
  const run = session.run('One')
  await stateWhere(session, ({ pending }) => pending.message !== undefined)
  const sent = session.send('Two')
  await asked
  return { ...world, session, run, sent }
}

describe('behind an input whose policy never answers', () => {
  test('an abort waits a second, and the input is refused', async () => {
    const { session, run, sent, clock } = await talking()
    const aborted = session.abort()
    const renamed = session.update({ title: 'Later' })
    await microtasks()
    clock.advance(1_000)
    expect(await sent).toMatchObject({ status: 'refused', error: { code: 'session.aborted' } })
    expect(await aborted).toMatchObject({ status: 'done', returned: [] })
    expect(await renamed).toMatchObject({ status: 'done' })
    expect(await run.result).toMatchObject({ reason: 'aborted', text: 'Well' })
  })

  test('closing waits for nothing', async () => {
    const { agent, run, sent } = await talking()
    const refused = expect(sent).rejects.toMatchObject({ code: 'session.closed' })
    await agent.close({ drainMs: 0 })
    await refused
    expect(await run.result).toMatchObject({ reason: 'error', recorded: false })
  })
})

describe('a run whose context never comes', () => {
  test('is stopped by its signal', async () => {
    const asked = hold()
    const world = agentWorld([], {
      context() {
        asked.open()
        return never()
      },
    })
    const session = await world.session()
    const stop = new AbortController()
    const run = session.run('Hello', { signal: stop.signal })
    await asked.opened
    stop.abort()
    await microtasks()
    world.clock.advance(1_000)
    expect(await run.result).toMatchObject({ reason: 'aborted', recorded: false })
    expect(session.state.history).toEqual([])
  })

  test('does not hold up the closing of its agent', async () => {
    const world = agentWorld([], { context: never })
    const session = await world.session()
    const run = session.run('Hello')
    await world.agent.close({ drainMs: 0 })
    expect(await run.result).toMatchObject({ error: { code: 'session.closed' }, recorded: false })
  })
})

test('an abort stands behind no attachment that cannot be stored', async () => {
  const store = memoryStore()
  const world = agentWorld([{ text: 'Well', beforeEnd: never }], {
    store: { ...store, blobs: { ...store.blobs, put: never } },
  })
  const session = await world.session()
  const run = session.run('One')
  await stateWhere(session, ({ pending }) => pending.message !== undefined)
  const sent = session.send([{ type: 'file', mediaType: 'text/plain', bytes: new Uint8Array(1) }])
  const refused = expect(sent).rejects.toMatchObject({ code: 'session.aborted' })
  const aborted = session.abort()
  await microtasks()
  world.clock.advance(1_000)
  await refused
  expect(await aborted).toMatchObject({ status: 'done' })
  expect((await run.result).reason).toBe('aborted')
})
