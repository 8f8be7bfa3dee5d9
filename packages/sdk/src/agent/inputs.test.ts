import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../protocol/events.ts'
import type { Message } from '../protocol/messages.ts'
import { agentWorld, collect, ofType, stateWhere, storedEvents } from '../testing/agent-world.ts'
import { brokenPromises } from '../testing/promises.ts'
import { hold } from '../testing/recording-server.ts'
import { tool } from '../testing/tool-call.ts'

const IMAGE = new Uint8Array([137, 80, 78, 71])
const withImage = (text: string) =>
  [
    { type: 'text', text },
    { type: 'image', mediaType: 'image/png', bytes: IMAGE },
  ] as const

/** A run whose only tool is running, with a steer that has an image and a queued input behind it. */
async function working(after: readonly string[] = ['Done.', 'Mailed.']) {
  const gate = hold()
  const slow = tool(() => gate.opened.then(() => 'slow'), { name: 'slow' })
  const world = agentWorld([{ calls: [{ name: 'slow' }] }, ...after], { tools: [slow] })
  const session = await world.session()
  const run = session.run('Go')
  await stateWhere(session, ({ live }) => live.calls.call_1?.running === true)
  const steer = await session.send(withImage('use metric'))
  const queued = await session.send('then mail it', { mode: 'queue' })
  return { ...world, gate, session, run, steer, queued }
}

/** Who said what, in the order of the history. */
const told = (messages: readonly Message[]): string[] =>
  messages.map((message) =>
    message.role === 'note' ? `note ${message.text}` : `${message.role} ${message.parts.map(partText).join(' ')}`,
  )

function partText(part: Exclude<Message, { role: 'note' }>['parts'][number]): string {
  if (part.type === 'text') return part.text
  return part.type === 'tool-call' ? `${part.toolName}=${part.result?.outcome}` : part.type
}

const about = (events: readonly AgentEvent[], inputId: string | undefined): string[] =>
  events.flatMap((event) => {
    if (event.type === 'message' && event.message.id === inputId) return ['message']
    return 'inputId' in event && event.inputId === inputId ? [event.type] : []
  })

describe('inputs that come while a tool runs (case 51)', () => {
  test('A: the steer goes in after the whole batch, with its image; the queued one has its own run', async () => {
    const { gate, session, run, steer, queued, model, store } = await working()
    gate.open()
    await run.result
    expect(await session.follow(queued.runId ?? '').text()).toBe('Mailed.')
    expect(told(model.requests[1]?.messages ?? [])).toEqual(['user Go', 'assistant slow=ok', 'user use metric image'])
    expect(told(session.state.history)).toEqual([
      'user Go',
      'assistant slow=ok',
      'user use metric image',
      'assistant Done.',
      'user then mail it',
      'assistant Mailed.',
    ])
    const events = await storedEvents(store)
    expect(about(events, steer.inputId)).toEqual(['input', 'message'])
    expect(about(events, queued.inputId)).toEqual(['input', 'message'])
    expect(brokenPromises(events)).toEqual([])
  })

  test('B: a stop hands both back, and asks the model nothing more', async () => {
    const { session, run, steer, queued, model, store } = await working()
    const { returned } = await session.abort(run.id)
    expect(await run.result).toMatchObject({ reason: 'aborted' })
    expect(returned).toMatchObject([
      { inputId: steer.inputId, lane: 'steer', parts: [{ text: 'use metric' }, { type: 'image' }] },
      { inputId: queued.inputId, lane: 'queue' },
    ])
    expect(model.requests).toHaveLength(1)
    expect(session.state.pending.lanes).toMatchObject({ steer: [], queue: [] })
    const [, image] = returned?.[0]?.parts ?? []
    expect(image?.type === 'image' && (await store.blobs.get('s', image.blob?.sha256 ?? ''))).toEqual(IMAGE)
  })

  test('D: a steer in the tick of the last word starts one more turn', async () => {
    const world = agentWorld(['First.', 'Second.'])
    const session = await world.session()
    const run = session.run('Go')
    const sent = new Promise((resolve) => {
      const unsubscribe = session.subscribe((_state, { events }) => {
        if (!events.some(({ type }) => type === 'usage')) return
        unsubscribe()
        resolve(session.send('one more thing'))
      })
    })
    await sent
    await run.result
    await stateWhere(session, ({ status }) => status === 'idle')
    expect(told(session.state.history)).toEqual([
      'user Go',
      'assistant First.',
      'user one more thing',
      'assistant Second.',
    ])
  })
})

describe('an input that still waits', () => {
  test('can be edited, and is taken as it was edited', async () => {
    const { gate, session, run, steer, queued } = await working()
    expect(await session.changeInput(queued.inputId ?? '', { input: 'then print it' })).toMatchObject({
      status: 'done',
    })
    expect(await session.changeInput(steer.inputId ?? '', { input: 'use miles' })).toMatchObject({ status: 'done' })
    gate.open()
    await run.result
    await session.follow(queued.runId ?? '').result
    expect(told(session.state.history)).toContain('user use miles')
    expect(told(session.state.history)).toContain('user then print it')
  })

  test('can be promoted into the open run', async () => {
    const { gate, session, run, queued } = await working(['Done.'])
    await session.changeInput(queued.inputId ?? '', { lane: 'steer' })
    gate.open()
    await run.result
    expect(told(session.state.history).slice(2)).toEqual([
      'user use metric image',
      'user then mail it',
      'assistant Done.',
    ])
    expect(await session.settled(queued.inputId ?? '')).toMatchObject({ status: 'absorbed', runId: run.id })
  })

  test('can be taken back', async () => {
    const { gate, session, run, queued, store } = await working(['Done.'])
    const removed = await session.changeInput(queued.inputId ?? '', { remove: true })
    expect(removed.returned).toMatchObject([{ inputId: queued.inputId, parts: [{ text: 'then mail it' }] }])
    expect(await session.settled(queued.inputId ?? '')).toEqual({ inputId: queued.inputId, status: 'returned' })
    gate.open()
    await run.result
    expect(session.state.status).toBe('idle')
    expect(about(await storedEvents(store), queued.inputId)).toEqual(['input', 'input-returned'])
  })

  test('of a paused queue starts a run when it is promoted', async () => {
    const failing = hold()
    const world = agentWorld([{ stop: 'length', text: 'Half', beforeEnd: () => failing.opened }, 'Mailed.'])
    const session = await world.session()
    const run = session.run('Go')
    await stateWhere(session, ({ pending }) => pending.message?.parts.length === 1)
    const queued = await session.send('then mail it', { mode: 'queue' })
    failing.open()
    expect(await run.result).toMatchObject({ reason: 'length' })
    expect(session.state.pending.lanes).toMatchObject({ paused: true, queue: [{ id: queued.inputId }] })
    expect(await session.changeInput(queued.inputId ?? '', { lane: 'steer' })).toMatchObject({
      status: 'started',
      runId: queued.runId,
    })
    expect(await session.follow(queued.runId ?? '').text()).toBe('Mailed.')
  })

  test('is unknown once it was taken, or when it never was', async () => {
    const world = agentWorld(['Done.'])
    const session = await world.session()
    const run = session.run('Go')
    await run.result
    const gone = await session.changeInput('in_1', { remove: true })
    expect(gone).toMatchObject({ status: 'refused', error: { code: 'input.unknown' } })
    await expect(session.settled('in_99')).rejects.toMatchObject({ code: 'input.unknown' })
    expect(await session.settled('in_1')).toEqual({ inputId: 'in_1', status: 'absorbed', runId: run.id })
  })
})

describe('a stop, and what may cross it (case 42)', () => {
  test('ends the run for everyone alike, also for who came late and reloads', async () => {
    const late = hold()
    const world = agentWorld([{ text: 'A long story', beforeEnd: () => late.opened }, 'Another.'])
    const session = await world.session()
    const r1 = session.run('u1')
    await stateWhere(session, ({ pending }) => pending.message !== undefined)
    const reloaded = await world.session()
    const resumed = collect(reloaded.follow(r1.id))
    const stopping = reloaded.abort(r1.id)
    const next = reloaded.send('u2')
    late.open()
    expect(await stopping).toMatchObject({ status: 'done', runId: r1.id })
    expect(await r1.result).toMatchObject({ reason: 'aborted' })
    expect((await resumed).at(-1)).toMatchObject({ type: 'finish', reason: 'aborted' })
    expect(await reloaded.follow((await next).runId ?? '').text()).toBe('Another.')
    const [, a1] = session.state.history
    expect(a1).toMatchObject({ role: 'assistant', partial: true })
    expect(session.state.history.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
    expect((await world.session()).state.history).toEqual(session.state.history)
    const events = await storedEvents(world.store)
    expect(brokenPromises(events)).toEqual([])
    expect(ofType(events, 'finish')).toHaveLength(2)
  })

  test('that comes late, or is meant for another run, is a refused receipt and hits nothing', async () => {
    const gate = hold()
    const world = agentWorld(['One.', { text: 'Three', beforeEnd: () => gate.opened }])
    const session = await world.session()
    const r1 = session.run('u1')
    await r1.result
    expect(await session.abort(r1.id)).toMatchObject({ status: 'refused', error: { code: 'session.run-not-open' } })
    const r3 = session.run('u3')
    await stateWhere(session, ({ pending }) => pending.message !== undefined)
    expect((await session.abort(r1.id)).status).toBe('refused')
    gate.open()
    expect(await r3.text()).toBe('Three')
  })

  test('is a command: whoever only leaves stops nothing', async () => {
    const gate = hold()
    const world = agentWorld([{ text: 'Still here', beforeEnd: () => gate.opened }])
    const session = await world.session()
    const r2 = session.run('u1')
    for await (const event of r2) if (event.type === 'text-delta') break
    await session.close()
    const later = await world.session()
    expect(later.state.run?.id).toBe(r2.id)
    gate.open()
    expect(await later.follow(r2.id).text()).toBe('Still here')
  })
})
