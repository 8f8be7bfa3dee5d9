import { describe, expect, test } from 'vitest'
import type { CompliancePolicy } from '../protocol/compliance.ts'
import type { PermissionPolicy } from '../protocol/permissions.ts'
import { memoryStore } from '../stores/memory.ts'
import { agentWorld, results, stateWhere } from '../testing/agent-world.ts'
import { microtasks } from '../testing/microtasks.ts'
import { hold } from '../testing/recording-server.ts'
import { never } from '../testing/tool-call.ts'
import { defineTool } from '../tools/define-tool.ts'

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

async function talking(isSentElsewhere = false) {
  const { policy, asked } = deafPolicy()
  const world = agentWorld([{ text: 'Well', beforeEnd: never }], { compliance: policy })
  const { clock, store } = world
  const session = await world.session()
  const run = session.run('One')
  await stateWhere(session, ({ pending }) => pending.message !== undefined)
  const elsewhere = await agentWorld([], { clock, store, ids: (prefix) => `${prefix}_${++count}` }).session()
  const sent = (isSentElsewhere ? elsewhere : session).send('Two')
  if (isSentElsewhere) {
    await microtasks()
    clock.advance(500)
  }
  await asked
  return { ...world, session, elsewhere, run, sent }
}

/** Of ids that another process makes. */
let count = 0

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

  test.each(['here', 'elsewhere'])(
    'sent %s, an abort from elsewhere waits for a look into the inbox, and that second',
    async (where) => {
      const { run, sent, clock, elsewhere } = await talking(where === 'elsewhere')
      const aborted = elsewhere.abort()
      const renamed = elsewhere.update({ title: 'Later' })
      for (let ms = 0; ms < 3_000; ms += 500) {
        await microtasks()
        clock.advance(500)
      }
      expect(await sent).toMatchObject({ status: 'refused', error: { code: 'session.aborted' } })
      expect(await run.result).toMatchObject({ reason: 'aborted', text: 'Well' })
      expect(await aborted).toMatchObject({ status: 'done', returned: [] })
      expect(await renamed).toMatchObject({ status: 'done' })
    },
  )

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

describe('a call whose permission is never decided', () => {
  async function deciding(session = 's') {
    const asked = hold()
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      input: { type: 'object' },
      execute: () => 'seen',
    })
    const decide: PermissionPolicy['decide'] = ({ input }) => {
      if (input.at !== 'the sun') return { verdict: 'allow', by: 'level', reason: 'Harmless.' }
      asked.open()
      return never()
    }
    const calls = ['the sun', 'the moon'].map((at) => ({ name: 'look', input: { at } }))
    const world = agentWorld([{ calls }], { tools: [look], permissions: { decide } })
    const opened = await world.session(session)
    const run = opened.run('Look.')
    await asked.opened
    return { ...world, session: opened, run }
  }

  test.each(['here', 'elsewhere'])('ends with an abort from %s', async (where) => {
    const { session, run, clock, store } = await deciding()
    const other = agentWorld([], { clock, store, ids: (prefix) => `${prefix}_${++count}` })
    const aborted = (where === 'here' ? session : await other.session()).abort()
    for (let ms = 0; ms < 1_000; ms += 500) {
      await microtasks()
      clock.advance(500)
    }
    expect(await run.result).toMatchObject({ reason: 'aborted' })
    expect(await aborted).toMatchObject({ status: 'done' })
    expect(results(session.state).map(({ outcome }) => outcome)).toEqual(['aborted', 'aborted'])
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
