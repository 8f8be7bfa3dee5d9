import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ToolResult } from '../protocol/messages.ts'
import { manualClock } from '../testing/manual-clock.ts'
import { microtasks } from '../testing/microtasks.ts'
import { never, start, tool } from '../testing/tool-call.ts'
import { callGate, runCalls } from './schedule.ts'
import type { ToolContext } from './tool.ts'

const unhandled: unknown[] = []
const onUnhandled = (reason: unknown) => void unhandled.push(reason)
beforeAll(() => void process.on('unhandledRejection', onUnhandled))
afterAll(() => {
  process.off('unhandledRejection', onUnhandled)
  expect(unhandled).toEqual([])
})

describe('stopping', () => {
  test('a deaf tool is abandoned in the same tick', async () => {
    const { controller, clock, result } = start(tool(never))
    const seen: ToolResult[] = []
    void result.then((settled) => seen.push(settled))
    clock.advance(7)
    controller.abort()
    await microtasks(3)
    expect(seen).toMatchObject([{ outcome: 'aborted', durationMs: 7 }])
    expect(seen[0]?.output).toMatch(/abandoned.*outcome is unknown/)
    expect(clock.pending).toBe(0)
  })

  test('late results, rejections, output and declarations are ignored', async () => {
    let late: (() => void) | undefined
    const { controller, output, result } = start(
      tool(async (_, ctx) => {
        await new Promise<void>((resolve) => {
          late = resolve
        })
        ctx.output('late')
        ctx.fileChange({ path: 'late', kind: 'created' })
        void ctx.present({ name: 'late', mediaType: 'text/plain', bytes: new Uint8Array(1) })
        throw new Error('late')
      }),
    )
    controller.abort()
    const settled = await result
    late?.()
    await microtasks()
    expect(output).toEqual([])
    expect(settled).not.toHaveProperty('changes')
    expect(await result).toBe(settled)
  })

  test('the tool hears of it through its own signal', async () => {
    const reasons: unknown[] = []
    const { controller, result } = start(
      tool((_, { signal }) => {
        signal.addEventListener('abort', () => reasons.push(signal.reason))
        return never()
      }),
    )
    controller.abort('why')
    await result
    expect(reasons).toEqual(['why'])
  })

  test('a tool that waits may finish', async () => {
    let finish: ((value: string) => void) | undefined
    const probe = tool(() => new Promise<string>((resolve) => (finish = resolve)), { onAbort: 'wait' })
    const { controller, clock, result } = start(probe)
    controller.abort()
    clock.advance(9_999)
    finish?.('saved')
    expect(await result).toMatchObject({ outcome: 'ok', output: 'saved' })
    expect(clock.pending).toBe(0)
  })

  test('a tool that waits and obeys is aborted, one that never ends is abandoned after 10 s', async () => {
    const obeying = start(
      tool(
        (_, { signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
        {
          onAbort: 'wait',
        },
      ),
    )
    obeying.controller.abort(new Error('told to stop'))
    expect(await obeying.result).toMatchObject({ outcome: 'aborted', output: expect.stringContaining('told to stop') })

    const deaf = start(tool(never, { onAbort: 'wait' }))
    deaf.controller.abort()
    deaf.clock.advance(10_000)
    expect(await deaf.result).toMatchObject({ outcome: 'aborted', durationMs: 10_000 })
  })

  test('a generator that nobody waits for is closed at its next yield', async () => {
    const steps: string[] = []
    let goOn: (() => void) | undefined
    let begin = () => {}
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    const { controller, result } = start(
      tool(async function* () {
        try {
          begin()
          await new Promise<void>((resolve) => (goOn = resolve))
          yield 'late'
          steps.push('never')
        } finally {
          steps.push('closed')
        }
      }),
    )
    await begun
    controller.abort()
    await result
    goOn?.()
    await microtasks()
    expect(steps).toEqual(['closed'])
  })

  test('a generator that nobody waits for any more never begins', async () => {
    const steps: string[] = []
    const { controller, result } = start(
      tool(async function* () {
        steps.push('never')
        yield 'late'
      }),
    )
    controller.abort()
    expect(await result).toMatchObject({ outcome: 'aborted' })
    await import('./rare.ts')
    await microtasks()
    expect(steps).toEqual([])
  })

  test('nothing starts when the run is stopped already', async () => {
    const started: number[] = []
    const result = await start(
      tool(() => started.push(1)),
      { signal: AbortSignal.abort() },
    ).result
    expect(result).toMatchObject({ outcome: 'aborted', output: expect.stringContaining('Not started') })
    expect(started).toEqual([])
  })

  test('a tool that has returned keeps its result when the run stops while it is being stored', async () => {
    const blobs = { put: never, get: async () => undefined }
    const probe = tool(() => 'x'.repeat(20), { maxResultChars: 10 })
    const { controller, result } = start(probe, { host: { blobs } })
    await microtasks()
    controller.abort()
    expect(await result).toMatchObject({ outcome: 'ok', truncatedTo: 10 })
  })
})

describe('time', () => {
  test('a tool that is too slow is abandoned, and its signal tells why', async () => {
    let reason: unknown
    const { clock, result } = start(
      tool(
        (_, { signal }) => {
          signal.addEventListener('abort', () => (reason = signal.reason))
          return never()
        },
        { timeoutMs: 2000 },
      ),
    )
    clock.advance(2000)
    expect(await result).toMatchObject({ outcome: 'timeout', code: 'tool.timeout', durationMs: 2000 })
    expect(reason).toMatchObject({ name: 'TimeoutError' })
    expect(clock.pending).toBe(0)
  })

  test('0 is no limit, and asking a person takes none of it', async () => {
    const unlimited = start(tool(never, { timeoutMs: 0 }))
    expect(unlimited.clock.pending).toBe(0)
    unlimited.controller.abort()
    await unlimited.result

    let answer: (() => void) | undefined
    const ask: ToolContext['ask'] = () =>
      new Promise((resolve) => (answer = () => resolve({ answers: { q: ['yes'] }, skipped: false })))
    const asking = start(
      tool(
        async (_, ctx) => {
          const { answers } = await ctx.ask([])
          await never()
          return answers
        },
        { timeoutMs: 1000 },
      ),
      { host: { ask } },
    )
    asking.clock.advance(600)
    asking.clock.advance(3_600_000)
    await microtasks()
    answer?.()
    await microtasks()
    asking.clock.advance(1000)
    expect(await asking.result).toMatchObject({ outcome: 'timeout' })
  })
})

test('one listener on the run, none after it, however many calls', async () => {
  const controller = new AbortController()
  const { signal } = controller
  let listening = 0
  let peak = 0
  const add = signal.addEventListener.bind(signal)
  const remove = signal.removeEventListener.bind(signal)
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    peak = Math.max(peak, ++listening)
    add(...args)
  }
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listening--
    remove(...args)
  }
  const clock = manualClock()
  for (let step = 0; step < 300; step++) {
    const calls = [1, 2, 3].map(
      () =>
        start(
          tool(async () => step),
          { signal, clock },
        ).result,
    )
    await Promise.all(calls)
  }
  expect({ listening, peak, timers: clock.pending }).toEqual({ listening: 0, peak: 3, timers: 0 })
  controller.abort()
})

test('parallel calls, one of which fails: every call has its own result, in call order', async () => {
  const clock = manualClock()
  const wait = (ms: number) => new Promise<void>((resolve) => void clock.setTimer(resolve, ms))
  const finished: string[] = []
  const call = (callId: string, ms: number, fails = false) => {
    const probe = tool(
      async () => {
        await wait(ms)
        if (fails) throw new Error('broken')
        return callId
      },
      { effect: 'read' },
    )
    return { parallel: probe.parallel, run: () => start(probe, { callId, clock }).result }
  }
  const calls = [call('k1', 30), call('k2', 1, true), call('k3', 10)]
  const results = runCalls(callGate(2), calls, (result) => finished.push(result.callId))
  for (let ms = 0; ms < 40; ms++) {
    await microtasks()
    clock.advance(1)
  }
  expect((await results).map(({ callId, outcome }) => `${callId} ${outcome}`)).toEqual(['k1 ok', 'k2 error', 'k3 ok'])
  expect(finished).toEqual(['k2', 'k3', 'k1'])
})
