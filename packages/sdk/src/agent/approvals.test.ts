import { describe, expect, test } from 'vitest'
import { memoryStore } from '../stores/memory.ts'
import { agentWorld, collect, ofType, results, stateWhere, storedEvents, types } from '../testing/agent-world.ts'
import { manualClock } from '../testing/manual-clock.ts'
import { microtasks } from '../testing/microtasks.ts'
import { brokenPromises } from '../testing/promises.ts'
import { defineTool } from '../tools/define-tool.ts'

const amount = { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] } as const

function payments(paid: unknown[] = []) {
  const pay = defineTool<{ amount: number }>({
    name: 'pay',
    description: 'Pays.',
    input: amount,
    needsApproval: true,
    describeEffect: ({ amount }) => ({ title: `Pay ${amount}` }),
    execute: ({ amount }, ctx) => {
      paid.push(amount)
      return `paid ${amount}, key ${ctx.idempotencyKey}`
    },
  })
  return { pay, paid }
}

function otherIds() {
  let minted = 0
  return (prefix: string) => `${prefix}_other_${++minted}`
}

const callPay = { calls: [{ name: 'pay', input: { amount: 5 } }] }
const isWaiting = (state: { status: string }): boolean => state.status === 'waiting'

describe('an approval', () => {
  test('holds its call back, parks the run, and lets it go on when it is allowed', async () => {
    const { pay, paid } = payments()
    const world = agentWorld([callPay, 'Done.'], { tools: [pay] })
    const session = await world.session()
    const run = session.run('Pay')
    const { pending } = await stateWhere(session, isWaiting)
    expect(pending.requests).toEqual([
      {
        id: 'req_call_1',
        kind: 'approval',
        callId: 'call_1',
        path: ['s'],
        tool: { name: 'pay', input: { amount: 5 }, effect: 'write' },
        description: { title: 'Pay 5' },
        reason: 'The tool wants it approved by a person.',
        options: ['allow-once', 'deny'],
      },
    ])
    await microtasks()
    expect(paid).toEqual([])
    expect(await world.store.get('s')).toMatchObject({ openRun: run.id, parked: true })

    expect(await session.resolve('req_call_1', 'allow-once', { by: 'ann' })).toMatchObject({ status: 'done' })
    expect(await run.result).toMatchObject({ reason: 'stop', text: 'Done.' })
    expect(paid).toEqual([5])
    expect(await world.store.get('s')).not.toHaveProperty('openRun')
    const events = await storedEvents(world.store)
    expect(ofType(events, 'request-resolved')).toMatchObject([
      { requestId: 'req_call_1', resolution: { decision: 'allow-once' }, reason: 'answered', by: 'ann' },
    ])
    expect(brokenPromises(events)).toEqual([])
  })

  test('that is denied tells the model why', async () => {
    const { pay, paid } = payments()
    const world = agentWorld([callPay, 'All right.'], { tools: [pay] })
    const session = await world.session()
    const run = session.run('Pay')
    await stateWhere(session, isWaiting)
    await session.resolve('req_call_1', { decision: 'deny', note: 'too much' })
    await run.result
    expect(paid).toEqual([])
    expect(results(session.state)).toMatchObject([
      { outcome: 'denied', code: 'tool.denied', output: 'Denied by the person, and not run. They say: too much' },
    ])
  })

  test('may edit the input, which has to fit its tool; the log shows both', async () => {
    const { pay, paid } = payments()
    const world = agentWorld([callPay, 'Done.'], { tools: [pay] })
    const session = await world.session()
    const run = session.run('Pay')
    await stateWhere(session, isWaiting)
    const misfit = await session.resolve('req_call_1', { decision: 'allow-once', editedInput: { amount: 'four' } })
    expect(misfit).toMatchObject({ status: 'refused', error: { code: 'request.invalid-answer' } })
    expect(session.state.pending.requests).toHaveLength(1)
    await session.resolve('req_call_1', { decision: 'allow-once', editedInput: { amount: 4 } })
    await run.result
    expect(paid).toEqual([4])
    expect(results(session.state)).toMatchObject([{ outcome: 'ok', ranWith: { amount: 4 } }])
  })

  test('the first answer wins; a second and one for an unknown request change nothing', async () => {
    const { pay } = payments()
    const world = agentWorld([callPay, 'Done.'], { tools: [pay] })
    const session = await world.session()
    const run = session.run('Pay')
    await stateWhere(session, isWaiting)
    const [first, second] = await Promise.all([
      session.resolve('req_call_1', 'deny'),
      session.resolve('req_call_1', 'allow-once'),
    ])
    expect(first.status).toBe('done')
    expect(second.error?.code).toBe('request.already-resolved')
    await run.result
    expect((await session.resolve('req_call_1', 'allow-once')).error?.code).toBe('request.already-resolved')
    expect((await session.resolve('req_nothing', 'allow-once')).error?.code).toBe('request.unknown')
    expect(results(session.state)).toMatchObject([{ outcome: 'denied' }])
  })

  test('of several each resolves alone, while the others go on', async () => {
    const { pay, paid } = payments()
    const free = defineTool({ name: 'free', description: 'Free.', input: { type: 'object' }, execute: () => 'free' })
    const call = (n: number) => ({ name: 'pay', input: { amount: n } })
    const world = agentWorld([{ calls: [call(1), { name: 'free' }, call(2)] }, 'Done.'], { tools: [pay, free] })
    const session = await world.session()
    const run = session.run('Pay')
    await stateWhere(session, isWaiting)
    expect(results(session.state)).toMatchObject([{ toolName: 'free' }])
    await session.resolve('req_call_3', 'allow-once')
    await stateWhere(session, (state) => isWaiting(state) && results(state).length === 2)
    expect(paid).toEqual([2])
    await session.resolve('req_call_1', 'allow-once')
    await run.result
    expect(paid).toEqual([2, 1])
  })

  test('survives the process and is answered by another', async () => {
    const store = memoryStore({ now: () => 1_000_000 })
    const first = agentWorld([callPay], { tools: [payments().pay], store })
    const session = await first.session()
    session.run('Pay')
    await stateWhere(session, isWaiting)
    await microtasks()
    const { pay, paid } = payments()
    const second = agentWorld(['Done.'], { tools: [pay], store, ids: otherIds() })
    const reopened = await second.session()
    expect(reopened.state).toMatchObject({ status: 'waiting', pending: { requests: [{ id: 'req_call_1' }] } })
    const run = reopened.follow(reopened.state.run?.id ?? '')
    await reopened.resolve('req_call_1', 'allow-once')
    expect(await run.result).toMatchObject({ reason: 'stop', text: 'Done.' })
    expect(paid).toEqual([5])
    expect(brokenPromises(await storedEvents(store))).toEqual([])
  })

  test('counts as denied when its time is over', async () => {
    const { pay, paid } = payments()
    const world = agentWorld([callPay, 'Done.'], { tools: [pay], timeouts: { requestMs: 60_000 } })
    const session = await world.session()
    const run = session.run('Pay')
    await stateWhere(session, isWaiting)
    await microtasks()
    expect(await world.store.get('s')).toMatchObject({ parked: true, wakeAt: 1_060_000 })
    world.clock.advance(60_000)
    expect(await run.result).toMatchObject({ reason: 'stop' })
    expect(paid).toEqual([])
    expect(ofType(await storedEvents(world.store), 'request-resolved')).toMatchObject([{ reason: 'deadline' }])
    expect(await world.store.get('s')).not.toHaveProperty('wakeAt')
  })

  test.each(['before', 'after'])('keeps its deadline in another process, opened %s it', async (when) => {
    const time = { now: 1_000_000 }
    const store = memoryStore({ now: () => time.now })
    const { pay, paid } = payments()
    const first = agentWorld([callPay], { tools: [pay], store, timeouts: { requestMs: 60_000 } })
    const { id } = (await first.session()).run('Pay')
    await stateWhere(await first.session(), isWaiting)
    await microtasks()
    const clock = manualClock(when === 'before' ? 1_000_000 : 1_060_000)
    const second = agentWorld(['Done.'], { tools: [pay], store, clock, ids: otherIds() })
    const run = (await second.session()).follow(id)
    if (when === 'before') clock.advance(60_000)
    expect(await run.result).toMatchObject({ reason: 'stop' })
    expect(paid).toEqual([])
    expect(ofType(await storedEvents(store), 'request-resolved')).toMatchObject([{ reason: 'deadline' }])
  })

  test('is withdrawn when the run is stopped', async () => {
    const { pay } = payments()
    const world = agentWorld([callPay, 'Next.'], { tools: [pay] })
    const session = await world.session()
    const run = session.run('Pay')
    await stateWhere(session, isWaiting)
    await microtasks()
    await session.abort()
    expect(await run.result).toMatchObject({ reason: 'aborted' })
    const events = await storedEvents(world.store)
    expect(ofType(events, 'request-resolved')).toMatchObject([{ reason: 'aborted', resolution: { decision: 'deny' } }])
    expect(brokenPromises(events)).toEqual([])
    expect(await session.run('And now?').text()).toBe('Next.')
  })

  test('waits while the person types something else, which comes after the answer', async () => {
    const { pay } = payments()
    const world = agentWorld([callPay, 'Done.'], { tools: [pay] })
    const session = await world.session()
    const run = session.run('Pay')
    await stateWhere(session, isWaiting)
    const receipt = await session.send('and hurry')
    expect(receipt.status).toBe('steered')
    expect(session.state.status).toBe('waiting')
    const settled = session.settled(receipt.inputId as string)
    await session.resolve('req_call_1', 'allow-once')
    await run.result
    expect(await settled).toEqual({ inputId: receipt.inputId, status: 'absorbed', runId: run.id })
    expect(session.state.history.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
  })

  test('is superseded by a message that says so', async () => {
    const { pay, paid } = payments()
    const world = agentWorld([callPay, 'Done.'], { tools: [pay] })
    const session = await world.session()
    const run = session.run('Pay')
    await stateWhere(session, isWaiting)
    await session.send('Rather not', { supersede: true })
    await run.result
    expect(paid).toEqual([])
    expect(ofType(await storedEvents(world.store), 'request-resolved')).toMatchObject([
      { reason: 'superseded', resolution: { decision: 'deny', note: 'Rather not' } },
    ])
  })

  test('is never asked in an unattended run: the call is denied at once', async () => {
    const { pay, paid } = payments()
    const world = agentWorld([callPay, 'Done.'], { tools: [pay] })
    const session = await world.session()
    const events = await collect(session.run('Pay', { unattended: true }))
    expect(types(events)).not.toContain('request')
    expect(paid).toEqual([])
    expect(results(session.state)).toMatchObject([
      { outcome: 'denied', metadata: { permission: { by: 'unattended', effect: 'write' } } },
    ])
  })
})
