import { describe, expect, test } from 'vitest'
import { type EventBatch, PROTOCOL_VERSION } from '../protocol/events.ts'
import { makeSeq } from '../protocol/seq.ts'
import { memoryStore } from '../stores/memory.ts'
import { agentWorld, collect, ofType, stateWhere, storedEvents, types } from '../testing/agent-world.ts'
import { manualClock } from '../testing/manual-clock.ts'
import { microtasks } from '../testing/microtasks.ts'
import { hold } from '../testing/recording-server.ts'
import { never } from '../testing/tool-call.ts'

const deaf = { text: 'Hello', beforeEnd: () => never() }
const refused = (code: string) => ({ reason: 'error', recorded: false, text: '', error: { code } })

describe('opening', () => {
  test.each([
    ['an empty id', ''],
    ['a very long id', 'x'.repeat(257)],
    ['control characters', 'a\nb'],
    ['half a surrogate pair', 'a\ud800'],
  ])('%s is refused', async (_what, id) => {
    const { agent } = agentWorld([])
    await expect(agent.session(id)).rejects.toMatchObject({ code: 'session.invalid-id' })
    await expect(agent.session(id)).rejects.toMatchObject({ code: 'session.invalid-id' })
  })

  test('an id may be anything else', async () => {
    const { agent } = agentWorld(['ok'])
    const id = "../etc/__proto__'; DROP TABLE sessions;-- 😀"
    const session = await agent.session(id)
    expect(await session.run('Hi').text()).toBe('ok')
    expect((await agent.session(id)).state.history).toHaveLength(2)
  })

  test('creates a session once, with its details', async () => {
    const { agent, store } = agentWorld([])
    await expect(agent.session('s', { create: false })).rejects.toMatchObject({ code: 'session.not-found' })
    const session = await agent.session('s', { title: 'Plans', principal: 'ann' })
    await Promise.all([agent.session('s', { title: 'Other' }), agent.session('s', { create: false })])
    expect(session.state.row).toMatchObject({ title: 'Plans', principal: 'ann', v: PROTOCOL_VERSION })
    expect(types(await storedEvents(store))).toEqual(['session-created'])
    expect((await agent.sessions()).items).toMatchObject([{ id: 's', title: 'Plans' }])
  })

  test('finds everything again', async () => {
    const store = memoryStore()
    const first = agentWorld(['One.'], { store })
    await (await first.session()).run('1').result
    const { state } = await first.session()
    const second = agentWorld(['Two.'], { store })
    const session = await second.session()
    expect(session.state).toEqual(state)
    expect(await session.run('2').text()).toBe('Two.')
    expect(second.model.requests[0]?.messages).toHaveLength(3)
  })

  test('a session of a newer protocol can be read, and is not written to', async () => {
    const { agent, store } = agentWorld(['never'])
    const created = { type: 'session-created', seq: 1, at: 0, v: PROTOCOL_VERSION + 1 } as const
    await store.create({ id: 's', createdAt: 0 }, created)
    const session = await agent.session('s')
    expect(await session.run('Hi').result).toMatchObject(refused('protocol.too-new'))
    await expect(session.send('Hi')).rejects.toMatchObject({ code: 'protocol.too-new' })
    expect(await storedEvents(store)).toEqual([created])
  })
})

describe('inputs', () => {
  test.each([
    ['nothing', '', 'input.empty'],
    ['white space', ' \n ', 'input.empty'],
    ['no parts', [], 'input.empty'],
    ['100 MB of text', 'x'.repeat(100_000_000), 'input.too-large'],
    ['text of many bytes', '€'.repeat(3_000_000), 'input.too-large'],
    ['a part of a kind that is none', [{ type: 'video' } as never], 'input.invalid'],
    ['a part that is none', [null as never], 'input.invalid'],
  ])('%s', async (_what, input, code) => {
    const { session: open, store } = agentWorld(['ok'])
    const session = await open()
    expect(await session.run(input).result).toMatchObject(refused(code))
    await expect(session.send(input)).rejects.toMatchObject({ code })
    expect(types(await storedEvents(store))).toEqual(['session-created'])
    expect(await session.run('Hi').text()).toBe('ok')
  })

  test('bytes become a blob before the input is accepted', async () => {
    const { session: open, store } = agentWorld(['ok'])
    const session = await open()
    const bytes = new Uint8Array([1, 2, 3])
    await session.run([{ type: 'image', mediaType: 'image/png', bytes, name: 'a.png' }]).result
    const [message] = session.state.history
    const [part] = message?.role === 'user' ? message.parts : []
    expect(part).toMatchObject({ type: 'image', mediaType: 'image/png', name: 'a.png', blob: { size: 3 } })
    expect(await store.blobs.get('s', part?.type === 'image' ? (part.blob?.sha256 ?? '') : '')).toEqual(bytes)
    expect(JSON.stringify(session.state)).not.toContain('bytes')
  })

  test('what a store cannot hold is cleaned (case 27)', async () => {
    const { session: open, model } = agentWorld(['ok'])
    await (await open()).run('x\ude00\u0000').result
    expect(model.requests[0]?.messages[0]).toMatchObject({ parts: [{ text: 'x\uFFFD\uFFFD' }] })
  })

  test('keep the order of the calls, also behind bytes that take their time', async () => {
    const { session: open } = agentWorld(['One.', 'Two.'])
    const session = await open()
    const first = session.run([{ type: 'file', mediaType: 'text/plain', bytes: new Uint8Array(1_000) }])
    const second = await session.send('2', { mode: 'queue' })
    expect(second).toMatchObject({ status: 'queued' })
    expect([await first.text(), await session.follow(second.runId as string).text()]).toEqual(['One.', 'Two.'])
  })
})

describe('send', () => {
  test('starts a run when none is open, else steers or queues', async () => {
    const gate = hold()
    const { session: open } = agentWorld([{ text: 'One.', beforeEnd: () => gate.opened }, 'Two.', 'Three.'])
    const session = await open()
    const started = await session.send('1')
    expect(started).toMatchObject({ status: 'started', inputId: 'in_1', runId: 'run_in_1', messageId: 'in_1' })
    expect(await session.send('2')).toMatchObject({ status: 'steered', runId: 'run_in_1' })
    expect(await session.send('3', { mode: 'queue' })).toMatchObject({ status: 'queued', runId: 'run_in_3' })
    gate.open()
    expect(await session.follow('run_in_3').text()).toBe('Three.')
    expect(await session.follow('run_in_1').text()).toBe('Two.')
  })

  test('run() while a run is open is refused and changes nothing', async () => {
    const { session: open, store } = agentWorld([deaf])
    const session = await open()
    const run = session.run('1')
    const before = await stateWhere(session, ({ pending }) => pending.message?.parts.length === 1)
    const busy = session.run('2')
    expect(await busy.result).toMatchObject(refused('session.busy'))
    expect(await collect(busy)).toEqual([])
    await expect(busy.text()).rejects.toMatchObject({ code: 'session.busy' })
    expect(session.state.pending).toEqual(before.pending)
    await session.abort()
    await run.result
    expect(types(await storedEvents(store)).filter((type) => type === 'input')).toHaveLength(1)
  })

  test('the same command again gives the same receipt, other content is a conflict', async () => {
    const { session: open, model, store } = agentWorld(['One.', 'Two.'])
    const session = await open()
    const first = await session.send('1', { commandId: 'c' })
    await session.follow('run_c').result
    expect(await session.send('1', { commandId: 'c' })).toEqual(first)
    await expect(session.send('other', { commandId: 'c' })).rejects.toMatchObject({ code: 'session.conflict' })
    expect(await session.run('2', { commandId: 'd' }).text()).toBe('Two.')
    const again = session.run('2', { commandId: 'd' })
    expect(await again.text()).toBe('Two.')
    expect(types(await collect(again))).toEqual([
      'input',
      'run-start',
      'message',
      'turn-start',
      'text-delta',
      'message',
      'usage',
      'finish',
    ])
    expect(model.requests).toHaveLength(2)
    expect(types(await storedEvents(store)).filter((type) => type === 'run-start')).toHaveLength(2)
  })

  test('the same command again while its run is open joins it from its beginning', async () => {
    const gate = hold()
    const { session: open } = agentWorld([{ text: 'One.', beforeEnd: () => gate.opened }])
    const session = await open()
    const first = session.run('1', { commandId: 'c' })
    await stateWhere(session, ({ pending }) => pending.message?.parts.length === 1)
    const again = session.run('1', { commandId: 'c' })
    await microtasks()
    gate.open()
    expect(types(await collect(again))).toEqual(types(await collect(first)))
    expect(await again.result).toEqual(await first.result)
  })
})

describe('the row', () => {
  test('is changed with its event', async () => {
    const { session: open, store } = agentWorld([])
    const session = await open()
    expect(await session.update({ title: 'Plans', metadata: { a: 1 } })).toMatchObject({ status: 'done' })
    expect(await session.update({ metadata: null })).toMatchObject({ status: 'done' })
    expect(await store.get('s')).toMatchObject({ title: 'Plans' })
    expect(await store.get('s')).not.toHaveProperty('metadata')
    expect(session.state.row).toMatchObject({ title: 'Plans' })
    expect(session.state.row).not.toHaveProperty('metadata')
  })
})

describe('the order of a session (case 44)', () => {
  test('comes from its seq alone, whatever the clock says', async () => {
    const clock = manualClock(1_000)
    let now = 1_000_000
    const backwards = { ...clock, now: () => (now -= 3_600_000) }
    const { session: open, store } = agentWorld(['One.', 'Two.'], {
      clock: { ...backwards, advance: clock.advance, pending: 0 },
    })
    const session = await open()
    session.subscribe(() => void microtasks())
    await session.run('1').result
    await session.run('2').result
    const stored = await storedEvents(store)
    expect(stored.map(({ seq }) => seq)).toEqual(stored.map(({ seq }) => seq).toSorted((a, b) => a - b))
    expect(session.state.history.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
    const pages: number[] = []
    for (let after = 0; ; ) {
      const page: number[] = []
      for await (const batch of store.read('s', { after, limit: 2 })) page.push(...batch.map(({ seq }) => seq))
      if (page.length === 0) break
      pages.push(...page)
      after = page.at(-1) as number
    }
    expect(pages).toEqual(stored.map(({ seq }) => seq))
  })
})

test('continue() takes the head of a queue that waits behind a complete reply', async () => {
  const { session: open, store } = agentWorld(['Two.'])
  await store.create({ id: 's', createdAt: 0 }, { type: 'session-created', seq: 1, at: 0, v: 1 })
  const lease = await store.acquire('s', { owner: 'h:1:x', ttlMs: 1_000 })
  const parts = [{ type: 'text' as const, text: '2' }]
  await store.append(
    's',
    [
      {
        type: 'history',
        seq: makeSeq(1, 1),
        at: 0,
        messages: [{ role: 'assistant', id: 'm', at: 0, parts: [{ type: 'text', text: 'One.' }] }],
      },
      { type: 'input', seq: makeSeq(1, 2), at: 0, inputId: 'q', parts, lane: 'queue' },
    ],
    { generation: 1 },
  )
  await lease.release()
  const session = await open()
  const run = session.continue()
  expect(await run.text()).toBe('Two.')
  expect(run.id).toBe('run_q')
  expect(types(await collect(run)).slice(0, 2)).toEqual(['run-start', 'message'])
  expect(await store.receipt('s', 'q')).toMatchObject({ status: 'started', runId: 'run_q' })
})

test('a function that listens twice is called twice, and each removal removes its own', async () => {
  const { agent, session } = agentWorld(['One.', 'Two.'])
  const opened = await session()
  let first = 0
  const listener = (_state: unknown, { events }: EventBatch): void => {
    if (ofType(events, 'finish').length > 0) first++
  }
  const remove = opened.subscribe(listener)
  const removeToo = opened.subscribe(listener)
  await opened.run('1').result
  expect(first).toBe(2)
  remove()
  remove()
  await opened.run('2').result
  expect(first).toBe(3)
  removeToo()
  await agent.close()
})

test.each(['cut \ud83d', 'nul \0'])(
  'a command id is stored as text is, and its run is found by it: %j',
  async (commandId) => {
    const { agent, session } = agentWorld(['Yes.'])
    const opened = await session()
    const run = opened.run('Really?', { commandId })
    expect(await run.text()).toBe('Yes.')
    expect(run.id).toBe(opened.state.history[0]?.runId)
    expect(await opened.run('Really?', { commandId }).text()).toBe('Yes.')
    expect(await opened.follow(run.id).text()).toBe('Yes.')
    await agent.close()
  },
)
