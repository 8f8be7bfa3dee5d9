import { describe, expect, test } from 'vitest'
import type { ModelEvent } from '../providers/provider.ts'
import { retryAfterMs } from '../providers/retry-after.ts'
import {
  agentWorld,
  collect,
  collectPatiently,
  ofType,
  stateWhere,
  storedEvents,
  types,
} from '../testing/agent-world.ts'
import { microtasks } from '../testing/microtasks.ts'
import { providerFailure, type ScriptedStep } from '../testing/scripted-model.ts'
import { tool } from '../testing/tool-call.ts'

const limited = (options: { retryAfterMs?: number } = {}) => ({
  error: providerFailure('provider.rate-limited', { status: 429, retryable: true, ...options }),
})
const overloaded = { error: providerFailure('provider.overloaded', { status: 503, retryable: true }) }

async function play(steps: readonly ScriptedStep[], options: Parameters<typeof agentWorld>[1] = {}) {
  const world = agentWorld(steps, options)
  const session = await world.session()
  const run = session.run('Go')
  const events = await collectPatiently(run, world.clock)
  const waits = ofType(events, 'activity').flatMap(({ activity }) => (activity?.kind === 'retrying' ? activity : []))
  return { ...world, session, events, waits, result: await run.result, requests: world.model.requests.length }
}

describe('attempts', () => {
  test('a failed one is void: announced before the wait, counted, and its text replaced', async () => {
    const { events, waits, result, session, store } = await play([{ text: 'Wro', ...overloaded }, 'Right.'])
    expect(types(events).slice(3)).toEqual([
      'turn-start',
      'text-delta',
      'usage',
      'activity',
      'activity',
      'turn-start',
      'text-delta',
      'message',
      'usage',
      'finish',
    ])
    expect(waits).toMatchObject([
      { kind: 'retrying', attempt: 2, delayMs: 1_000, until: 1_001_000, error: { code: 'provider.overloaded' } },
    ])
    const starts = ofType(events, 'turn-start')
    expect(starts.map(({ turn, attempt }) => [turn, attempt])).toEqual([
      [1, 1],
      [1, 2],
    ])
    expect(starts[0]?.messageId).toBe(starts[1]?.messageId)
    expect(result).toMatchObject({ text: 'Right.', usage: { run: { requests: 2 } } })
    expect(session.state.history.at(-1)).toMatchObject({ parts: [{ text: 'Right.' }] })
    expect(ofType(await storedEvents(store), 'usage').map(({ stop }) => stop)).toEqual(['error', 'stop'])
  })

  test('wait longer each time, and each turn has its own (case 29 I)', async () => {
    const calling = { calls: [{ name: 'probe' }] }
    const { waits, result } = await play([overloaded, overloaded, calling, overloaded, overloaded, 'Done.'], {
      tools: [tool(() => 'x')],
    })
    expect(waits.map(({ attempt, delayMs }) => [attempt, delayMs])).toEqual([
      [2, 1_000],
      [3, 2_000],
      [2, 1_000],
      [3, 2_000],
    ])
    expect(result.reason).toBe('stop')
  })

  test('end with the last error', async () => {
    const { result, requests } = await play([overloaded, overloaded, overloaded])
    expect([result.reason, result.error?.code, requests]).toEqual(['error', 'provider.overloaded', 3])
  })

  test.each(['provider.bad-request', 'provider.auth', 'provider.context-overflow'] as const)(
    '%s is not tried again (cases 07 E, 13 D)',
    async (code) => {
      const { result, requests, waits } = await play([{ error: providerFailure(code, { status: 400 }) }, 'never'])
      expect([result.error?.code, requests, waits]).toEqual([code, 1, []])
    },
  )

  test('a cut stream is tried again', async () => {
    const { result, requests } = await play([{ text: 'Hal', cut: true }, 'Whole.'])
    expect([result.text, requests]).toEqual(['Whole.', 2])
  })

  test('jitter goes upwards only', async () => {
    const { waits } = await play([limited({ retryAfterMs: 4_000 }), overloaded, 'ok'], { random: () => 0.999 })
    expect(waits.map(({ delayMs }) => delayMs)).toEqual([4_999, 2_500])
  })
})

describe('what the provider asks for (case 29)', () => {
  const header = (name: string, value: string) => retryAfterMs(new Headers({ [name]: value }), 0)

  test.each([
    ['A: seconds', header('retry-after', '3'), 3_000],
    ['B: a date', header('retry-after', 'Thu, 01 Jan 1970 00:00:07 GMT'), 7_000],
    ['C: milliseconds', header('retry-after-ms', '250'), 250],
    ['D: zero, without a busy loop', header('retry-after', '0'), 10],
    ['E: a negative number', header('retry-after', '-5'), 1_000],
    ['G: a word', header('retry-after', 'soon'), 1_000],
  ])('%s', async (_case, asked, waited) => {
    const { waits, clock, result } = await play([limited(asked === undefined ? {} : { retryAfterMs: asked }), 'ok'])
    expect(waits.map(({ delayMs }) => delayMs)).toEqual([waited])
    expect([clock.now() - 1_000_000, result.text]).toEqual([waited, 'ok'])
  })

  test('F: more than the limit fails at once and says how long', async () => {
    const { waits, result, requests } = await play([limited({ retryAfterMs: 18_000_000 }), 'never'])
    expect([waits, requests, result.reason]).toEqual([[], 1, 'error'])
    expect(result.error).toMatchObject({ code: 'provider.rate-limited', details: { retryAfterMs: 18_000_000 } })
  })

  test('H: an abort ends the wait at once and leaves no timer', async () => {
    const { session: open, clock, model } = agentWorld([limited({ retryAfterMs: 30_000 }), 'never'])
    const session = await open()
    const run = session.run('Go')
    await stateWhere(session, ({ live }) => live.activity?.kind === 'retrying')
    clock.advance(1_000)
    await session.abort()
    expect(await run.result).toMatchObject({ reason: 'aborted', recorded: true })
    await microtasks()
    expect([model.requests.length, clock.pending, session.state.live.activity]).toEqual([1, 0, undefined])
  })
})

describe('deadlines (case 30)', () => {
  const timeouts = { connectMs: 300, idleMs: 200, attemptMs: 2_000 }

  /** A provider that reads what the test sends, and says when it was let go. */
  function wire() {
    let send = (_events: readonly ModelEvent[] | 'end'): void => {}
    let aborted: unknown
    const asked: (() => void)[] = []
    return {
      model: {
        id: 'wire',
        model: 'wire',
        api: 'wire',
        capabilities: {},
        async *stream(_request: unknown, { signal }: { signal: AbortSignal }) {
          signal.addEventListener('abort', () => {
            aborted = signal.reason
          })
          for (;;) {
            const coming = new Promise<readonly ModelEvent[] | 'end'>((resolve) => {
              send = resolve
            })
            for (const resolve of asked.splice(0)) resolve()
            const events = await coming
            if (events === 'end') return
            yield events
          }
        },
      },
      send: async (...events: ModelEvent[]) => {
        send(events)
        await microtasks()
      },
      asked: () => new Promise<void>((resolve) => asked.push(resolve)),
      aborted: () => aborted,
    }
  }
  const text = (text: string): ModelEvent => ({ type: 'text', part: 0, text })
  const done: ModelEvent = { type: 'done', stop: 'stop' }

  async function begin(limits: typeof timeouts = timeouts) {
    const { model, send, asked, aborted } = wire()
    const world = agentWorld([], { model, timeouts: limits, retries: { max: 0 } })
    const session = await world.session()
    const request = asked()
    const run = session.run('Go')
    await request
    const pass = async (ms: number) => {
      world.clock.advance(ms)
      await microtasks()
    }
    return { ...world, session, run, send, aborted, pass }
  }

  test('A: silence in the middle ends the attempt, and the request', async () => {
    const { run, send, pass, aborted, session } = await begin()
    await send(text('Hel'))
    await pass(199)
    expect(aborted()).toBeUndefined()
    await pass(1)
    expect(await run.result).toMatchObject({
      reason: 'error',
      text: 'Hel',
      error: { code: 'provider.idle', retryable: true },
    })
    expect(aborted()).toMatchObject({ code: 'provider.idle' })
    expect(session.state.history.at(-1)).toMatchObject({ partial: true })
  })

  test('B: any byte counts', async () => {
    const { run, send, pass } = await begin()
    await send(text('Hel'))
    for (let i = 0; i < 10; i++) {
      await pass(100)
      await send()
    }
    await send(text('lo'), done)
    expect(await run.text()).toBe('Hello')
  })

  test('C, D: the first sign of life has its own deadline', async () => {
    const late = await begin()
    await late.pass(299)
    await late.send(text('Hi'), done)
    expect(await late.run.text()).toBe('Hi')
    const never = await begin()
    await never.pass(300)
    expect((await never.run.result).error).toMatchObject({ code: 'provider.connect-timeout', retryable: true })
  })

  test('E: tools take their own time', async () => {
    const slow = tool(() => new Promise((resolve) => clock.setTimer(() => resolve('x'), 5_000)))
    const world = agentWorld([{ calls: [{ name: 'probe' }] }, 'Done.'], { tools: [slow], timeouts })
    const { clock } = world
    const session = await world.session()
    const run = session.run('Go')
    await stateWhere(session, ({ live }) => live.calls.call_1?.running === true)
    await microtasks()
    clock.advance(5_000)
    expect(await run.text()).toBe('Done.')
  })

  test('F: 0 is no deadline', async () => {
    const { run, send, pass } = await begin({ connectMs: 0, idleMs: 0, attemptMs: 0 })
    await pass(10_000_000)
    await send(text('Hi'))
    await pass(10_000_000)
    await send(done)
    expect(await run.text()).toBe('Hi')
  })

  test('a whole attempt has an end, and is not repeated', async () => {
    const { run, send, pass } = await begin()
    for (let i = 0; i < 20; i++) {
      await send(text('x'))
      await pass(100)
    }
    expect((await run.result).error).toMatchObject({ code: 'provider.deadline', retryable: false })
  })

  test('leave no timer behind', async () => {
    const { run, send, clock } = await begin()
    await send(text('Hi'), done)
    await collect(run)
    await microtasks()
    expect(clock.pending).toBe(0)
  })
})
