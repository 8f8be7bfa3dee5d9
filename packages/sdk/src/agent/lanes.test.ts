import { describe, expect, test } from 'vitest'
import type { Message } from '../protocol/messages.ts'
import { agentWorld, collect, ofType, stateWhere, storedEvents, types } from '../testing/agent-world.ts'
import { hold } from '../testing/recording-server.ts'
import { tool } from '../testing/tool-call.ts'

const START = ['input', 'run-start', 'message']
const REPLY = ['turn-start', 'text-delta', 'message', 'usage']
const CALLING = ['turn-start', 'tool-input-delta', 'message', 'usage']

const said = (messages: readonly Message[]): string[] =>
  messages.map((message) => {
    if (message.role === 'note') return message.text
    return message.parts.map((part) => (part.type === 'text' ? part.text : part.type)).join(' ')
  })

describe('steering', () => {
  test('goes in before the next request, after the whole batch of tools', async () => {
    const gate = hold()
    const ran: string[] = []
    const slow = tool(() => gate.opened.then(() => void ran.push('slow')), { name: 'slow' })
    const quick = tool(() => void ran.push('quick'), { name: 'quick' })
    const world = agentWorld([{ calls: [{ name: 'slow' }, { name: 'quick' }] }, 'Done.'], { tools: [slow, quick] })
    const session = await world.session()
    const run = session.run('Go')
    const reading = collect(run)
    await stateWhere(session, ({ live }) => live.calls.call_1?.running === true)
    const receipt = await session.send('in Fahrenheit', { by: 'bob' })
    expect(receipt).toMatchObject({ status: 'steered', runId: run.id, inputId: 'in_2' })
    await session.send('and short')
    gate.open()
    const events = await reading
    expect(types(events)).toEqual([
      ...START,
      ...CALLING,
      'tool-call',
      'tool-call',
      'tool-start',
      'input',
      'input',
      'tool-start',
      'tool-result',
      'tool-result',
      'message',
      'message',
      ...REPLY,
      'finish',
    ])
    expect(ran).toEqual(['slow', 'quick'])
    expect(said(world.model.requests[1]?.messages ?? [])).toEqual([
      'Go',
      'tool-call tool-call',
      'in Fahrenheit',
      'and short',
    ])
    expect(ofType(events, 'message')[2]).toMatchObject({ by: 'bob', message: { placed: 'steer', id: 'in_2' } })
    expect(await world.store.receipt('s', 'in_2')).toMatchObject({ status: 'steered', messageId: 'in_2' })
  })

  test('keeps a run from stopping: it takes one more turn', async () => {
    const gate = hold()
    const world = agentWorld([{ text: 'First.', beforeEnd: () => gate.opened }, 'Second.'])
    const session = await world.session()
    const run = session.run('Go')
    await stateWhere(session, ({ pending }) => pending.message?.parts.length === 1)
    await session.send('wait')
    gate.open()
    expect(types(await collect(run))).toEqual([
      ...START,
      'turn-start',
      'text-delta',
      'input',
      'message',
      'usage',
      'message',
      ...REPLY,
      'finish',
    ])
    expect(await run.text()).toBe('Second.')
  })

  test('reaches the run even while the one after it is being prepared', async () => {
    const gate = hold()
    const preparing = hold()
    let asked = 0
    const world = agentWorld(['First.', 'Steered.', 'Queued.'], {
      async context() {
        if (++asked !== 2) return
        preparing.open()
        await gate.opened
      },
    })
    const session = await world.session()
    const run = session.run('Go')
    await session.send('later', { mode: 'queue' })
    await preparing.opened
    expect(await session.send('now')).toMatchObject({ status: 'steered', runId: run.id })
    gate.open()
    expect(await run.result).toMatchObject({ text: 'Steered.' })
    expect(await session.follow('run_in_2').result).toMatchObject({ text: 'Queued.' })
  })
})

describe('the queue', () => {
  test('goes on after stop in the same append', async () => {
    const world = agentWorld(['One.', 'Two.', 'Three.'])
    const session = await world.session()
    const batches: string[][] = []
    session.subscribe((_state, { events }) => void batches.push(types(events)))
    const run = session.run('1')
    const second = await session.send('2', { mode: 'queue' })
    const third = await session.send('3', { mode: 'queue', by: 'ann' })
    expect([second, third]).toMatchObject([
      { status: 'queued', runId: 'run_in_2' },
      { status: 'queued', runId: 'run_in_3' },
    ])
    expect(await session.follow(third.runId as string).result).toMatchObject({ reason: 'stop', text: 'Three.' })
    expect(await run.result).toMatchObject({ text: 'One.' })
    expect(batches.filter((batch) => batch.includes('finish'))).toEqual([
      ['finish', 'run-start', 'message'],
      ['finish', 'run-start', 'message'],
      ['finish'],
    ])
    expect(session.state.history.map((message) => (message.role === 'user' ? message.placed : message.role))).toEqual([
      'start',
      'assistant',
      'queue',
      'assistant',
      'queue',
      'assistant',
    ])
    expect(await world.store.receipt('s', 'in_2')).toMatchObject({ status: 'started', runId: 'run_in_2' })
    expect((await world.store.get('s'))?.openRun).toBeUndefined()
  })

  test('is paused by any other ending until someone goes on', async () => {
    const world = agentWorld([{ stop: 'content-filter' }, 'Again.', 'Waited.'])
    const session = await world.session()
    const run = session.run('1')
    await session.send('2', { mode: 'queue' })
    expect(await run.result).toMatchObject({ reason: 'content-filter' })
    expect(session.state).toMatchObject({
      status: 'idle',
      pending: { lanes: { paused: true, queue: [{ id: 'in_2' }] } },
    })
    expect(await session.run('3').result).toMatchObject({ text: 'Again.' })
    expect(await session.follow('run_in_2').result).toMatchObject({ text: 'Waited.' })
    expect(session.state.pending.lanes).toEqual({ steer: [], queue: [], paused: false })
  })
})

describe('continue', () => {
  test('goes on with the history as it is', async () => {
    const world = agentWorld([{ calls: [{ name: 'probe' }] }, 'Done.'], { tools: [tool(() => 'x')], maxTurns: 1 })
    const session = await world.session()
    expect(await session.run('Go').result).toMatchObject({ reason: 'max-turns' })
    const more = session.continue({ maxTurns: 5 })
    const events = await collect(more)
    expect(types(events)).toEqual(['run-start', ...REPLY, 'finish'])
    expect(events[0]).toMatchObject({ trigger: 'continue', inputIds: [], config: { maxTurns: 5 } })
    expect(await more.text()).toBe('Done.')
  })

  test('is refused when the last reply is complete, when there is nothing, and while a run is open', async () => {
    const gate = hold()
    const world = agentWorld([{ text: 'Done.', before: () => gate.opened }])
    const session = await world.session()
    const refused = (code: string) => ({ reason: 'error', recorded: false, error: { code } })
    expect(await session.continue().result).toMatchObject(refused('session.nothing-to-continue'))
    const run = session.run('Go')
    expect(await session.continue().result).toMatchObject(refused('session.busy'))
    gate.open()
    await run.result
    expect(await session.continue().result).toMatchObject(refused('session.nothing-to-continue'))
    expect(types(await storedEvents(world.store)).filter((type) => type === 'run-start')).toHaveLength(1)
  })

  test('takes the head of a paused queue, under the name that its receipt promised', async () => {
    const gate = hold()
    const world = agentWorld([
      { text: 'One.' },
      { stop: 'content-filter', before: () => gate.opened },
      'Three.',
      'Four.',
    ])
    const session = await world.session()
    await session.run('1').result
    const filtered = session.run('2')
    const queued = await session.send('3', { mode: 'queue' })
    gate.open()
    await filtered.result
    // The unanswered input is continued first, then the queue goes on by itself.
    const run = session.continue()
    expect(await run.result).toMatchObject({ text: 'Three.' })
    expect(await session.follow(queued.runId as string).result).toMatchObject({ text: 'Four.' })
  })
})

test('a lane that is none is refused, also in a command that another process left, and what comes after it is taken', async () => {
  const gate = hold()
  const { agent, clock, session, store } = agentWorld([{ text: 'One.', before: () => gate.opened }, 'Two.'])
  const opened = await session()
  const run = opened.run('1')
  const queued = await opened.send('2', { mode: 'queue' })
  const refused = { status: 'refused', error: { code: 'input.invalid' } }
  expect(await opened.send('3', { mode: 'later' as never })).toMatchObject(refused)
  expect(await opened.changeInput(queued.inputId ?? '', { lane: 'later' as never })).toMatchObject(refused)

  const titled = stateWhere(opened, ({ row }) => row.title === 'Trains')
  const parts = [{ type: 'text', text: '4' }] as const
  await store.post('s', { type: 'input', id: 'in_odd', at: 0, mode: 'later' as never, parts })
  await store.post('s', { type: 'update', id: 'cmd_after', at: 0, row: { title: 'Trains' } })
  clock.advance(500)
  await titled
  expect(await store.receipt('s', 'in_odd')).toMatchObject(refused)
  gate.open()
  await run.result
  expect(await opened.follow(queued.runId ?? '').text()).toBe('Two.')
  await agent.close()
})
