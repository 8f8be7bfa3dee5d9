import { describe, expect, test } from 'vitest'
import type { ModelEvent } from '../providers/provider.ts'
import { agentWorld, collect, ofType, results, stateWhere, storedEvents, types } from '../testing/agent-world.ts'
import { microtasks } from '../testing/microtasks.ts'
import { hold } from '../testing/recording-server.ts'
import { never, tool } from '../testing/tool-call.ts'

/** A reply that says its text and then hangs, whatever its signal says. */
const deaf = (text: string) => ({ text, beforeEnd: () => never() })
const saysSomething = ({ pending }: { pending: { message?: { parts: readonly unknown[] } } }) =>
  (pending.message?.parts.length ?? 0) > 0

describe('an abort while the model talks (case 43 A)', () => {
  test('keeps what was on screen, its usage so far, and ends at once, however deaf the provider', async () => {
    const { session: open, store, clock } = agentWorld([deaf('Hello wor')])
    const session = await open()
    const run = session.run('Go')
    await stateWhere(session, ({ pending }) => JSON.stringify({ ...pending.message }).includes('Hello wor'))
    const receipt = await session.abort(run.id)
    expect(receipt).toMatchObject({ status: 'done', runId: run.id, returned: [] })
    expect(await run.result).toMatchObject({ reason: 'aborted', text: 'Hello wor', recorded: true })
    const stored = await storedEvents(store)
    expect(types(stored).slice(-6)).toEqual(['turn-start', 'text-delta', 'abort', 'message', 'usage', 'finish'])
    expect(session.state.history.at(-1)).toMatchObject({ partial: true, parts: [{ text: 'Hello wor' }] })
    expect(ofType(stored, 'usage')).toMatchObject([{ stop: 'aborted', call: { estimated: true, outputTokens: 3 } }])
    await microtasks()
    expect(clock.pending).toBe(0)
  })

  test('keeps the usage that was reported before', async () => {
    const reported: ModelEvent[][] = [
      [
        { type: 'usage', usage: { inputTokens: 7, outputTokens: 1 } },
        { type: 'text', part: 0, text: 'Hi' },
      ],
    ]
    const stream = async function* () {
      yield* reported
      await never()
    }
    const model = { id: 'x', model: 'x', api: 'x', capabilities: {}, stream }
    const session = await agentWorld([], { model }).session()
    const run = session.run('Go')
    await stateWhere(session, saysSomething)
    await session.abort()
    expect((await run.result).usage.run).toEqual({ requests: 1, inputTokens: 7, outputTokens: 1, totalTokens: 8 })
  })

  test('before the first byte leaves no message', async () => {
    const asked = hold()
    const before = () => {
      asked.open()
      return never()
    }
    const session = await agentWorld([{ text: 'never', before }]).session()
    const run = session.run('Go')
    await asked.opened
    await session.abort()
    expect(await run.result).toMatchObject({ reason: 'aborted', text: '' })
    expect(session.state.history).toHaveLength(1)
  })

  test('lets the next run begin, with what is valid for a model', async () => {
    const { session: open, model } = agentWorld([deaf('Hello'), 'Again.'])
    const session = await open()
    const run = session.run('Go')
    await stateWhere(session, saysSomething)
    await session.abort()
    await run.result
    expect(await session.run('Once more').text()).toBe('Again.')
    expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  })
})

describe('an abort right away', () => {
  test('in the same tick finds the run', async () => {
    const { session: open } = agentWorld([deaf('never kept')])
    const session = await open()
    const run = session.run('Go')
    expect(await session.abort(run.id)).toMatchObject({ status: 'done' })
    expect(await run.result).toMatchObject({ reason: 'aborted', recorded: true })
  })

  test('once sequenced no effect starts, also while its append is slow', async () => {
    let executed = 0
    const gate = hold()
    const world = agentWorld([{ calls: [{ name: 'slow' }, { name: 'write' }] }], {
      tools: [tool(() => gate.opened, { name: 'slow' }), tool(() => void executed++, { name: 'write' })],
    })
    const session = await world.session()
    const run = session.run('Go')
    await stateWhere(session, ({ live }) => live.calls.call_1?.running === true)
    const aborting = session.abort()
    gate.open()
    await aborting
    expect(await run.result).toMatchObject({ reason: 'aborted' })
    expect(executed).toBe(0)
    expect(results(session.state)).toHaveLength(2)
  })
})

describe('an abort while tools run', () => {
  async function calling(options: Parameters<typeof tool>[1], execute: Parameters<typeof tool>[0] = () => never()) {
    const world = agentWorld([{ calls: [{ name: 'probe' }, { name: 'probe' }] }], { tools: [tool(execute, options)] })
    const session = await world.session()
    const run = session.run('Go')
    await stateWhere(session, ({ live }) => live.calls.call_1?.running === true)
    await microtasks()
    return { ...world, session, run }
  }

  test('abandons a deaf one, and the one behind it never starts', async () => {
    const { session, run, store } = await calling({})
    await session.abort()
    expect(await run.result).toMatchObject({ reason: 'aborted' })
    expect(results(session.state).map(({ outcome }) => outcome)).toEqual(['aborted', 'aborted'])
    const stored = await storedEvents(store)
    expect(ofType(stored, 'tool-start')).toHaveLength(1)
    expect(types(stored).slice(-4)).toEqual(['abort', 'tool-result', 'tool-result', 'finish'])
  })

  test("waits ten seconds for one with onAbort: 'wait'", async () => {
    const gate = hold()
    const { session, run, clock } = await calling({ onAbort: 'wait' }, () => gate.opened.then(() => 'saved'))
    await session.abort()
    clock.advance(9_999)
    await microtasks()
    expect(session.state.status).toBe('stopping')
    gate.open()
    await run.result
    expect(results(session.state)).toMatchObject([{ outcome: 'ok', output: 'saved' }, { outcome: 'aborted' }])
    const deafOne = await calling({ onAbort: 'wait' })
    await deafOne.session.abort()
    deafOne.clock.advance(10_000)
    expect(await deafOne.run.result).toMatchObject({ reason: 'aborted' })
  })

  test('is heard by a tool that listens, and a late rejection harms nobody', async () => {
    const heard: string[] = []
    const { session, run } = await calling({}, async (_input, { signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      heard.push((signal.reason as { code: string }).code)
      throw new Error('stopped')
    })
    await session.abort()
    await run.result
    await microtasks()
    expect(heard).toEqual(['session.aborted'])
  })
})

describe('what waits when a run is stopped', () => {
  test('is handed back, steers first, and recorded so', async () => {
    const { session: open, store } = agentWorld([deaf('Hello'), 'Next.'])
    const session = await open()
    const run = session.run('Go')
    await stateWhere(session, saysSomething)
    await session.send('a queued one', { mode: 'queue', commandId: 'q' })
    await session.send('a steer', { commandId: 't' })
    const queued = session.follow('run_q')
    const { returned } = await session.abort()
    expect(returned).toMatchObject([
      { inputId: 't', lane: 'steer', parts: [{ text: 'a steer' }] },
      { inputId: 'q', lane: 'queue', parts: [{ text: 'a queued one' }] },
    ])
    await run.result
    expect(session.state).toMatchObject({ status: 'idle', pending: { lanes: { steer: [], queue: [] } } })
    expect(await queued.result).toMatchObject({
      reason: 'aborted',
      error: { code: 'session.aborted' },
      recorded: false,
    })
    expect(await store.receipt('s', 'q')).toMatchObject({ status: 'returned', inputId: 'q' })
    expect(await store.receipt('s', 't')).toMatchObject({ status: 'returned' })
  })

  test('and comes after the abort runs next', async () => {
    const gate = hold()
    const saved = tool(() => gate.opened, { onAbort: 'wait' })
    const { session: open } = agentWorld([{ calls: [{ name: 'probe' }] }, 'Next.'], { tools: [saved] })
    const session = await open()
    const run = session.run('Go')
    await stateWhere(session, ({ live }) => live.calls.call_1?.running === true)
    await microtasks()
    await session.abort()
    const receipt = await session.send('and now this')
    expect(receipt).toMatchObject({ status: 'queued', runId: 'run_in_2' })
    const next = session.follow('run_in_2')
    gate.open()
    expect(await run.result).toMatchObject({ reason: 'aborted' })
    expect(await next.result).toMatchObject({ reason: 'stop', text: 'Next.' })
  })
})

describe('an abort that hits nothing', () => {
  const refused = { status: 'refused', error: { code: 'session.run-not-open' } }

  test('is refused: idle, late, or meant for another run', async () => {
    const { session: open } = agentWorld(['Done.', deaf('Busy')])
    const session = await open()
    expect(await session.abort()).toMatchObject(refused)
    const first = session.run('1')
    await first.result
    expect(await session.abort(first.id)).toMatchObject(refused)
    const second = session.run('2')
    await stateWhere(session, saysSomething)
    expect(await session.abort(first.id)).toMatchObject(refused)
    expect(session.state.status).toBe('running')
    await session.abort(second.id)
    await second.result
  })

  test('twice is once', async () => {
    const { session: open, store } = agentWorld([deaf('Hello')])
    const session = await open()
    const run = session.run('Go')
    await stateWhere(session, saysSomething)
    const receipts = await Promise.all([session.abort(), session.abort(run.id)])
    expect(receipts.map(({ status }) => status)).toEqual(['done', 'done'])
    await collect(run)
    expect(types(await storedEvents(store)).filter((type) => type === 'abort')).toHaveLength(1)
  })
})
