import { afterEach, describe, expect, it } from 'vitest'
import { byHeader } from '../../../test/fixtures/by-header.ts'
import { gate, quiet, until } from '../../../test/fixtures/client-world.ts'
import { wordList } from '../../guards/compliance.ts'
import { StoreError } from '../../protocol/errors.ts'
import { memoryStore } from '../../stores/memory.ts'
import { agentWorld, stateWhere, type WorldOptions } from '../../testing/agent-world.ts'
import type { ScriptedStep } from '../../testing/scripted-model.ts'
import { defineTool } from '../../tools/define-tool.ts'
import type { AGUIEvent } from './events.ts'
import { type AGUIHandlerOptions, createAGUIHandler } from './index.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

function world(steps: readonly ScriptedStep[], options: WorldOptions = {}, handler: Partial<AGUIHandlerOptions> = {}) {
  const agent = agentWorld(steps, options)
  const served = createAGUIHandler({
    agent: agent.agent,
    authorize: byHeader,
    ...handler,
  })
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    served.fetch(
      new Request('http://agent.test/any/path', {
        method: 'POST',
        headers: { authorization: 'ada', 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    )
  const run = (more: object = {}, headers?: Record<string, string>) =>
    post({ threadId: 's', runId: 'r', protocolVersion: '1.0', messages: [], ...more }, headers)
  closers.push(() => agent.agent.close({ drainMs: 0 }))
  return { ...agent, served, post, run }
}

const user = (id: string, content = id) => ({ id, role: 'user', content })

async function read(response: Response): Promise<AGUIEvent[]> {
  const frames = (await response.text()).split('\n\n').filter((frame) => frame.startsWith('data: '))
  return frames.map((frame) => JSON.parse(frame.slice('data: '.length)) as AGUIEvent)
}

const types = (events: readonly AGUIEvent[]): string[] => events.map(({ type }) => type)
const codeOf = async (response: Response) => [response.status, (await response.json()).error.code]

describe('what a handler takes', () => {
  it('is a run of somebody it knows, of a page it knows, in JSON that is not too large', async () => {
    const { post, run, served } = world([], {}, { maxBodyBytes: 1_000 })
    const nobody = new Request('http://agent.test/', { method: 'POST' })
    expect(await codeOf(await served.fetch(nobody))).toEqual([401, 'wire.unauthorized'])
    expect(await codeOf(await run({}, { origin: 'https://evil.example' }))).toEqual([403, 'wire.origin'])
    expect(await codeOf(await run({}, { 'content-type': 'text/plain' }))).toEqual([415, 'wire.content-type'])
    expect(await codeOf(await run({ state: 'x'.repeat(1_000) }))).toEqual([413, 'input.too-large'])
    expect(await codeOf(await post('{'))).toEqual([400, 'wire.bad-request'])
    expect(await codeOf(await post({ threadId: 's', messages: [] }))).toEqual([400, 'wire.bad-request'])
    expect(await codeOf(await run({ messages: [{ role: 'user' }] }))).toEqual([400, 'wire.bad-request'])
    for (const threadId of ['', 'a\n', '..']) {
      expect(await codeOf(await run({ threadId, messages: [user('a')] }))).toEqual([400, 'session.invalid-id'])
    }
    const get = new Request('http://agent.test/', { headers: { authorization: 'ada' } })
    expect(await codeOf(await served.fetch(get))).toEqual([405, 'wire.method-not-allowed'])
  })

  it('begins a thread that somebody says something in, as theirs', async () => {
    const { run, store } = world(['Hello.'], {}, { authorize: () => ({ id: 'ada', tenant: 'acme' }) })
    expect(await codeOf(await run())).toEqual([404, 'session.not-found'])
    await read(await run({ messages: [user('a')] }))
    expect(await store.get('s')).toMatchObject({ principal: 'ada', tenant: 'acme' })
  })

  it('answers for a thread of others as for one that is not there', async () => {
    const { run } = world(['Hello.'])
    await read(await run({ messages: [user('a')] }))
    expect(await codeOf(await run({}, { authorization: 'eve' }))).toEqual([404, 'session.not-found'])
    const message = { messages: [user('b')] }
    expect(await codeOf(await run(message, { authorization: 'eve' }))).toEqual([404, 'session.not-found'])
  })

  it('lets somebody who may only read look on, and say nothing', async () => {
    const { run, model } = world(['Hello.'], {}, { canAccess: (_principal, _row, action) => action === 'read' })
    await read(await run({ messages: [user('a')] }))
    const eve = { authorization: 'eve' }
    expect(types(await read(await run({}, eve)))).toEqual(['RUN_STARTED', 'MESSAGES_SNAPSHOT', 'RUN_FINISHED'])
    expect(await codeOf(await run({ messages: [user('b')] }, eve))).toEqual([404, 'session.not-found'])
    expect(model.requests).toHaveLength(1)
  })

  it('is the same message twice as one', async () => {
    const { run, model, session } = world(['Hello.'])
    const twice = await Promise.all([run({ messages: [user('a')] }), run({ messages: [user('a')] })])
    for (const events of await Promise.all(twice.map(read))) expect(types(events).at(-1)).toBe('RUN_FINISHED')
    await read(await run({ messages: [user('a')] }))
    expect(model.requests).toHaveLength(1)
    expect((await session()).state.history).toHaveLength(2)
  })

  it('is not what a policy refuses: the client forgets it', async () => {
    const compliance = wordList({ words: ['secret'], action: 'block' })
    const { run, model } = world(['Hello.'], { compliance })
    const events = await read(await run({ messages: [user('a', 'The secret')] }))
    expect(types(events)).toEqual(['RUN_STARTED', 'MESSAGES_SNAPSHOT', 'RUN_ERROR'])
    expect(events.slice(1)).toMatchObject([{ messages: [] }, { code: 'compliance.blocked' }])
    expect(types(await read(await run({ messages: [user('b')] }))).at(-1)).toBe('RUN_FINISHED')
    expect(model.requests).toHaveLength(1)
  })

  it('may be a text in place of an answer: it waits until there is one', async () => {
    const ask = { calls: [{ name: 'guarded' }] }
    const guarded = defineTool({
      name: 'guarded',
      description: '',
      input: { type: 'object' },
      needsApproval: true,
      execute: () => 'Done.',
    })
    const { run, session, model } = world([ask, 'Both.'], { tools: [guarded] })
    await read(await run({ messages: [user('a')] }))
    const asked = await read(await run({ messages: [user('a'), user('b')] }))
    expect(asked.at(-1)).toMatchObject({ outcome: { type: 'interrupt', interrupts: [{ reason: 'tool_call' }] } })
    const [request] = (await session()).state.pending.requests
    const resume = [{ interruptId: request?.id, status: 'resolved', payload: { approved: true } }]
    expect(types(await read(await run({ messages: [], resume }))).at(-1)).toBe('RUN_FINISHED')
    expect(JSON.stringify(model.requests[1]?.messages)).toContain('"b"')
  })

  it('is not a message that cannot be one: the client forgets it', async () => {
    const { run, session } = world(['Hello.'])
    await read(await run({ messages: [user('a')] }))
    const parts = [{ type: 'image' }, { type: 'text' }, { type: 'smell' }, 5, null]
    const odd = parts.map((part, i) => ({ ...user(`d${i}`), content: [part] }))
    for (const bad of [user('b', ' '), user('c\n'), ...odd]) {
      const events = await read(await run({ messages: [bad] }))
      expect(types(events)).toEqual(['RUN_STARTED', 'MESSAGES_SNAPSHOT', 'RUN_ERROR'])
      expect(JSON.stringify(events[1])).not.toContain(JSON.stringify(bad.id))
    }
    expect((await session()).state.history).toHaveLength(2)
  })
})

describe('a stream', () => {
  it('merges what a slow client does not take', async () => {
    const words = Array.from({ length: 5_000 }, (_, i) => `${i} ${'x'.repeat(40)} `)
    const deltasOf = words.map((text) => [{ type: 'text', part: 0, text }] as const)
    const { run, session } = world([[...deltasOf, [{ type: 'done', stop: 'stop' }]]])
    const response = await run({ messages: [user('a')] })
    await stateWhere(await session(), ({ lastFinish }) => lastFinish !== undefined)
    const events = await read(response)
    const deltas = events.flatMap((event) => (event.type === 'TEXT_MESSAGE_CONTENT' ? [event.delta] : []))
    expect(deltas.join('')).toBe(words.join(''))
    expect(deltas.length).toBeLessThan(2_000)
  })

  it('ends for all clients when the server closes, and the run goes on', async () => {
    const paused = gate()
    const { run, served, session } = world([{ text: 'Half', beforeEnd: paused.wait }])
    const response = await run({ messages: [user('a')] })
    const opened = await session()
    await stateWhere(opened, ({ pending }) => pending.message?.parts.length === 1)
    await served.close({ drainMs: 0 })
    const events = await read(response)
    expect(types(events).slice(-2)).toEqual(['TEXT_MESSAGE_END', 'RUN_ERROR'])
    expect(events.at(-1)).toMatchObject({ code: 'wire.closing' })
    expect(await codeOf(await run())).toEqual([503, 'wire.closing'])
    paused.open()
    expect((await stateWhere(opened, ({ status }) => status === 'idle')).lastFinish?.reason).toBe('stop')
  })

  it('ends before its host does', async () => {
    const { run, clock, session } = world([{ text: 'Half', beforeEnd: gate().wait }], {}, { maxDurationMs: 60_000 })
    const response = await run({ messages: [user('a')] })
    await stateWhere(await session(), ({ pending }) => pending.message?.parts.length === 1)
    clock.advance(55_000)
    expect((await read(response)).at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'wire.closing' })
  })

  it('says that it lives, and that its session is gone', async () => {
    const { run, clock, session, store } = world([{ text: 'Half', beforeEnd: gate().wait }])
    const response = await run({ messages: [user('a')] })
    await stateWhere(await session(), ({ pending }) => pending.message?.parts.length === 1)
    clock.advance(15_000)
    await store.delete('s')
    clock.advance(15_000)
    const text = await response.text()
    expect(text).toContain('\n\n:\n\n')
    expect(text).toContain('"code":"session.not-found"')
  })

  it('tells that the storage failed', async () => {
    const stored = memoryStore()
    const bad = { isBad: false }
    const store: typeof stored = {
      ...stored,
      append: (...append) => {
        if (bad.isBad) throw new StoreError('store.full', 'The disk is full.')
        return stored.append(...append)
      },
    }
    const paused = gate()
    const { run, session, clock } = world([{ text: 'Half', beforeEnd: paused.wait }], { store })
    const response = await run({ messages: [user('a')] })
    const opened = await session()
    await stateWhere(opened, ({ pending }) => pending.message?.parts.length === 1)
    bad.isBad = true
    paused.open()
    const failed = stateWhere(opened, ({ live }) => live.fault !== undefined)
    for (let i = 0; i < 10; i++) {
      await quiet()
      clock.advance(1_000)
    }
    await failed
    bad.isBad = false
    expect((await read(response)).at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'store.full' })
  })

  it('ends with its own run, whatever runs next', async () => {
    const paused = gate()
    const { run, session } = world([{ text: 'One.', beforeEnd: paused.wait }, 'Two.'])
    const first = await run({ messages: [user('a')] })
    const opened = await session()
    await stateWhere(opened, ({ pending }) => pending.message?.parts.length === 1)
    await opened.send('b', { mode: 'queue', commandId: 'b' })
    const waiting = await run({ messages: [user('c')] })
    paused.open()
    await stateWhere(opened, ({ status, history }) => status === 'idle' && history.length > 3)
    const told = JSON.stringify(await read(first))
    expect(told).toContain('One.')
    await read(waiting)
  })

  it('waits behind a run that is being stopped, or is told that its message was handed back', async () => {
    const paused = gate()
    const stubborn = defineTool({
      name: 'stubborn',
      description: '',
      input: { type: 'object' },
      onAbort: 'wait',
      execute: () => paused.wait(),
    })
    const { run, session } = world([{ calls: [{ name: 'stubborn' }] }, 'Next.'], { tools: [stubborn] })
    const first = await run({ messages: [user('a')] })
    const opened = await session()
    await stateWhere(opened, ({ pending }) => Object.values(pending.calls).some(({ started }) => started !== undefined))
    const steering = await run({ messages: [user('a'), user('steered')] })
    await stateWhere(opened, ({ pending }) => pending.lanes.steer.length === 1)
    await opened.abort()
    const next = await run({ messages: [user('a'), user('next')] })
    await until(() => opened.state.pending.lanes.queue.length === 1)
    paused.open()
    await opened.continue().result
    expect((await read(first)).at(-1)).toMatchObject({ outcome: { type: 'cancelled' } })
    expect((await read(steering)).at(-1)).toMatchObject({ outcome: { type: 'cancelled' } })
    await stateWhere(opened, ({ status, history }) => status === 'idle' && history.some(({ id }) => id === 'next'))
    expect((await read(next)).at(-1)).toMatchObject({ outcome: { type: 'success' } })
  })
})

describe('options', () => {
  it.each([
    [{ onDisconnect: 'stop' }],
    [{ maxBodyBytes: 0 }],
    [{ state: {} }],
    [{ authorize: undefined }],
    [{ heartbeatMs: -1 }],
  ])('%o cannot work', (bad) => {
    expect(() => world([], {}, bad as unknown as Partial<AGUIHandlerOptions>)).toThrowError(
      expect.objectContaining({ code: 'config.invalid' }),
    )
  })
})
