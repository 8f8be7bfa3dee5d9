import { describe, expect, test } from 'vitest'
import type { Message } from '../protocol/messages.ts'
import { agentWorld, collect, ofType, results, stateWhere, storedEvents, types } from '../testing/agent-world.ts'
import { hold } from '../testing/recording-server.ts'
import { tool } from '../testing/tool-call.ts'

const START = ['input', 'run-start', 'message']
const REPLY = ['turn-start', 'text-delta', 'message', 'usage']
const CALLING = ['turn-start', 'tool-input-delta', 'message', 'usage']
const RAN = ['tool-call', 'tool-start', 'tool-result']

const said = (messages: readonly Message[]): string[] =>
  messages.map((message) => {
    if (message.role === 'note') return message.text
    return message.parts.map((part) => (part.type === 'text' ? part.text : part.type)).join(' ')
  })

describe('a run', () => {
  test('goes from an input to its finish', async () => {
    const { session, store, model } = agentWorld(['Hello there.'])
    const run = (await session()).run('Hi')
    const events = await collect(run)
    expect(types(events)).toEqual([...START, ...REPLY, 'finish'])
    expect(new Set(events.map(({ runId }) => runId))).toEqual(new Set(['run_in_1']))
    expect(await run.result).toMatchObject({ runId: run.id, reason: 'stop', text: 'Hello there.', recorded: true })
    expect(types(await storedEvents(store))).toEqual(['session-created', ...types(events)])
    expect(said(model.requests[0]?.messages ?? [])).toEqual(['Hi'])
  })

  test('puts what belongs together into one append', async () => {
    const world = agentWorld(['Hello.'])
    const session = await world.session()
    const batches: string[][] = []
    session.subscribe((_state, { events }) => void batches.push(types(events)))
    await session.run('Hi').result
    expect(batches).toEqual([START, ['turn-start'], ['text-delta'], ['message', 'usage'], ['finish']])
  })

  test('runs a tool and tells the model', async () => {
    const probe = tool(({ q }: { q?: number } & object) => `found ${q}`)
    const world = agentWorld([{ calls: [{ name: 'probe', input: { q: 7 } }] }, 'Seven.'], { tools: [probe] })
    const session = await world.session()
    const events = await collect(session.run('Look'))
    expect(types(events)).toEqual([...START, ...CALLING, ...RAN, ...REPLY, 'finish'])
    expect(results(session.state)).toMatchObject([{ outcome: 'ok', output: 'found 7' }])
    expect(world.model.requests[1]?.messages.at(-1)).toMatchObject({ parts: [{ result: { output: 'found 7' } }] })
    const [start] = ofType(events, 'tool-start')
    expect(start).toMatchObject({ effect: 'write', callId: 'call_1', toolName: 'probe' })
  })

  test('does not start what changes something before its start is stored', async () => {
    const order: string[] = []
    const probe = tool(() => void order.push('executed'))
    const world = agentWorld([{ calls: [{ name: 'probe' }] }, 'Done.'], { tools: [probe] })
    const session = await world.session()
    session.subscribe((_state, { events }) => order.push(...types(events).filter((type) => type === 'tool-start')))
    await session.run('Go').result
    expect(order).toEqual(['tool-start', 'executed'])
  })

  test('counts what it used, over its turns and over the session', async () => {
    const usage = { inputTokens: 5, outputTokens: 2 }
    const call = { calls: [{ name: 'probe' }], usage }
    const world = agentWorld([call, { text: 'A', usage }, { text: 'B', usage }], { tools: [tool(() => 'x')] })
    const session = await world.session()
    const first = await session.run('one').result
    const second = await session.run('two').result
    expect(first.usage.run).toEqual({ requests: 2, inputTokens: 10, outputTokens: 4, totalTokens: 14 })
    expect(second.usage).toMatchObject({
      run: { requests: 1, totalTokens: 7 },
      total: { requests: 3, totalTokens: 21 },
    })
  })

  test('is ended by its turns, and what waits goes to the head of the queue', async () => {
    const gate = hold()
    const busy = tool(() => gate.opened)
    const calling = { calls: [{ name: 'probe' }] }
    const world = agentWorld([calling, calling], { tools: [busy], maxTurns: 1 })
    const session = await world.session()
    const run = session.run('Go')
    await stateWhere(session, ({ live }) => live.calls.call_1?.running === true)
    await session.send('and then', { mode: 'queue' })
    await session.send('left over', { mode: 'steer' })
    gate.open()
    expect(await run.result).toMatchObject({ reason: 'max-turns' })
    expect(world.model.requests).toHaveLength(1)
    const { lanes } = session.state.pending
    expect([said(lanes.queue.map((input) => ({ role: 'user', ...input }))), lanes.paused]).toEqual([
      ['left over', 'and then'],
      true,
    ])
  })

  test('takes its own number of turns, settings and metadata, and records them', async () => {
    const world = agentWorld(['x'], {
      settings: { temperature: 0.2, maxOutputTokens: 9 },
      name: 'helper',
      version: '2',
    })
    const session = await world.session()
    const run = session.run('Go', { maxTurns: 3, settings: { temperature: 1 }, metadata: { from: 'test' }, by: 'ann' })
    const [start] = ofType(await collect(run), 'run-start')
    expect(start).toMatchObject({
      by: 'ann',
      trigger: 'input',
      config: {
        agent: 'helper',
        agentVersion: '2',
        maxTurns: 3,
        settings: { temperature: 1, maxOutputTokens: 9 },
        metadata: { from: 'test' },
        model: { provider: 'scripted', model: 'scripted', api: 'scripted' },
      },
    })
    expect(world.model.requests[0]?.settings).toEqual({ temperature: 1, maxOutputTokens: 9 })
  })

  test('writes its instructions once, and their hash each time', async () => {
    const world = agentWorld(['a', 'b'], { instructions: 'Be brief.' })
    const session = await world.session()
    const starts = [await collect(session.run('1')), await collect(session.run('2'))].flatMap((events) =>
      ofType(events, 'run-start'),
    )
    expect(starts.map(({ config }) => config.instructions)).toEqual(['Be brief.', undefined])
    expect(starts[0]?.config.instructionsHash).toBe(starts[1]?.config.instructionsHash)
    expect(world.model.requests.map(({ instructions }) => instructions)).toEqual(['Be brief.', 'Be brief.'])
  })

  test('gives the context to instructions and tools, and the log none of it', async () => {
    const seen: unknown[] = []
    const probe = tool((_input, ctx) => void seen.push(ctx.context))
    const world = agentWorld([{ calls: [{ name: 'probe' }] }, 'Done.'], {
      tools: [probe],
      context: async ({ sessionId, by }) => ({ secret: `${sessionId}/${by}` }),
      instructions: (context) => `You serve ${(context as { secret: string }).secret.length}.`,
    })
    const session = await world.session()
    await session.run('Go', { by: 'ann' }).result
    expect(seen).toEqual([{ secret: 's/ann' }])
    expect(world.model.requests[0]?.instructions).toBe('You serve 5.')
    expect(JSON.stringify(await storedEvents(world.store))).not.toContain('s/ann')
  })

  test.each([
    ['context', { context: () => Promise.reject(Object.assign(new Error('no database'), { code: 'ECONNREFUSED' })) }],
    [
      'instructions',
      {
        instructions: () => {
          throw new Error('no database')
        },
      },
    ],
  ])('ends with an error when %s throws, and the session goes on', async (_which, options) => {
    const world = agentWorld(['never'], options)
    const session = await world.session()
    const result = await session.run('Go').result
    expect(result).toMatchObject({ reason: 'error', recorded: true, error: { code: 'config.invalid' } })
    expect(result.error?.message).toContain('no database')
    expect(world.model.requests).toEqual([])
    expect(types(await storedEvents(world.store))).toEqual(['session-created', ...START, 'finish'])
    expect(session.state.status).toBe('idle')
  })

  test('shows what the model is sent, and survives whoever looks', async () => {
    const seen: string[][] = []
    const world = agentWorld(['a', 'b'], {
      onRequest(request) {
        seen.push(Object.keys(request))
        throw new Error('mine')
      },
    })
    const session = await world.session()
    await session.run('1').result
    expect(await session.run('2').result).toMatchObject({ reason: 'stop' })
    expect(seen).toEqual([
      ['messages', 'tools', 'settings', 'cacheKey'],
      ['messages', 'tools', 'settings', 'cacheKey'],
    ])
  })
})
