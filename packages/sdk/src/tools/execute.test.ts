import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FileChange, ToolResult } from '../protocol/messages.ts'
import { resultText } from '../protocol/text.ts'
import { manualClock } from '../testing/manual-clock.ts'
import { microtasks } from '../testing/microtasks.ts'
import { toolContent } from './content.ts'
import { defineTool, type ToolDefinition } from './define-tool.ts'
import { type ExecuteOptions, executeCall } from './execute.ts'
import { callGate, runCalls } from './schedule.ts'
import type { PresentedFile, Tool, ToolContext } from './tool.ts'

const unhandled: unknown[] = []
const onUnhandled = (reason: unknown) => void unhandled.push(reason)
beforeAll(() => void process.on('unhandledRejection', onUnhandled))
afterAll(() => {
  process.off('unhandledRejection', onUnhandled)
  expect(unhandled).toEqual([])
})

type Execute = NonNullable<Tool['execute']>

function tool(execute: Execute, more: Partial<ToolDefinition<unknown, unknown>> = {}): Tool {
  return defineTool({ name: 'probe', description: '', input: { type: 'object' }, execute, ...more })
}

function memoryBlobs() {
  const stored = new Map<string, Uint8Array>()
  return {
    stored,
    async put(bytes: Uint8Array) {
      const sha256 = `sha-${stored.size}`
      stored.set(sha256, bytes)
      return { sha256, size: bytes.length }
    },
    get: async (sha256: string) => stored.get(sha256),
  }
}

function start(
  probe: Tool,
  more: Partial<Omit<ExecuteOptions, 'host'>> & { host?: Partial<ExecuteOptions['host']> } = {},
) {
  const clock = manualClock()
  const controller = new AbortController()
  const output: string[] = []
  let minted = 0
  const result = executeCall({
    tool: probe,
    input: {},
    callId: 'call_1',
    signal: controller.signal,
    clock,
    onOutput: (text) => void output.push(text),
    ...more,
    host: {
      sessionId: 's',
      runId: 'run_1',
      turn: 1,
      context: undefined,
      history: [],
      ids: (prefix) => `${prefix}_${++minted}`,
      ...more.host,
    },
  })
  return { clock, controller, output, result }
}

const never = () => new Promise<never>(() => {})
const run = (execute: Execute, more?: Partial<ToolDefinition<unknown, unknown>>): Promise<ToolResult> =>
  start(tool(execute, more)).result

describe('whatever a tool throws', () => {
  const circular: { message: string; self?: unknown } = { message: 'no file' }
  circular.self = circular
  const bad: Record<string, [thrown: unknown, expected: RegExp]> = {
    undefined: [undefined, /probe/],
    null: [null, /probe/],
    'a string': ['plain string', /plain string/],
    'a plain object': [{ code: 'ENOENT', message: 'no file' }, /ENOENT.*no file/],
    'a circular object': [circular, /no file.*\[Circular\]/],
    'an error with a cause': [new Error('x', { cause: new Error('root') }), /x.*root/],
    'a frozen error': [Object.freeze(new Error('frozen')), /frozen/],
    'an object that cannot be read': [
      {
        toString() {
          throw new Error('never')
        },
        get message() {
          throw new Error('never')
        },
      },
      /probe/,
    ],
  }
  for (const [name, [thrown, expected]] of Object.entries(bad)) {
    test(`${name}: at once and as a rejection`, async () => {
      for (const execute of [() => Promise.reject(thrown), throwing(thrown)]) {
        const result = await run(execute)
        expect(result).toMatchObject({ callId: 'call_1', toolName: 'probe', outcome: 'error', code: 'tool.failed' })
        expect(resultText(result)).toMatch(expected)
        expect(resultText(result)).not.toContain('[object Object]')
      }
    })
  }

  function throwing(thrown: unknown): Execute {
    return () => {
      throw thrown
    }
  }
})

describe('whatever a tool returns', () => {
  const circular: Record<string, unknown> = { a: 1 }
  circular.self = circular
  const returned: Record<string, [value: unknown, text: string]> = {
    undefined: [undefined, '(no output)'],
    null: [null, 'null'],
    zero: [0, '0'],
    'empty text': ['', '(no output)'],
    false: [false, 'false'],
    bigint: [10n, '10'],
    'bigint inside': [{ a: 1n }, '{"a":"1"}'],
    circular: [circular, '{"a":1,"self":"[Circular]"}'],
    map: [new Map([['k', 1]]), '{"k":1}'],
    date: [new Date(0), '1970-01-01T00:00:00.000Z'],
    symbol: [Symbol('s'), 'Symbol(s)'],
    function: [() => 1, '[function without name]'],
    bytes: [new Uint8Array(3), '{"bytes":3,"base64":"AAAA"}'],
    'half a surrogate pair': ['\ud83d', '\ufffd'],
  }
  for (const [name, [value, text]] of Object.entries(returned)) {
    test(name, async () => {
      const result = await run(async () => value)
      expect(result.outcome).toBe('ok')
      expect(resultText(result)).toBe(text)
      expect(JSON.parse(JSON.stringify(result))).toEqual(result)
    })
  }

  const unreadable: Record<string, unknown> = {
    'a getter that throws': {
      get x() {
        throw new Error('getter')
      },
    },
    'a toJSON that throws': {
      toJSON() {
        throw new Error('j')
      },
    },
    'a revoked proxy': revoked(),
  }
  function revoked() {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    return { proxy }
  }
  for (const [name, value] of Object.entries(unreadable)) {
    test(`${name} becomes an error that names the tool`, async () => {
      const result = await run(() => value)
      expect(result).toMatchObject({ outcome: 'error', code: 'tool.failed' })
      expect(result.output).toContain('"probe"')
    })
  }

  test('a generator: what it yields is live output, what it returns is the result', async () => {
    const { output, result } = start(
      tool(async function* () {
        yield 'one '
        yield { text: 'two ', progress: { done: 1, total: 2 } }
        yield { n: 3 }
        return { answer: 42 }
      }),
    )
    expect((await result).output).toEqual({ answer: 42 })
    expect(output.join('')).toBe('one two {"n":3}')
  })

  test('a tool without execute is an error', async () => {
    const { execute: _, ...client } = tool(() => 1)
    expect(await start(client).result).toMatchObject({ outcome: 'error', code: 'tool.failed' })
  })
})

describe('truncation', () => {
  test('cuts between characters, says how much, keeps the whole text', async () => {
    const blobs = memoryBlobs()
    const probe = tool(() => '123456789😀tail', { maxResultChars: 10 })
    const result = await start(probe, { host: { blobs } }).result
    expect(result.output).toBe('123456789\n[cut: 6 of 15 characters are left out]')
    expect(result.truncatedTo).toBe(9)
    expect(new TextDecoder().decode(blobs.stored.get(result.full?.sha256 ?? ''))).toBe('123456789😀tail')
  })

  test('without a place for the whole text, or with one that fails', async () => {
    const probe = tool(() => 'x'.repeat(5_000_000))
    expect((await start(probe).result).full).toBeUndefined()
    const put = () => Promise.reject(new Error('disk full'))
    const result = await start(probe, { host: { blobs: { put, get: async () => undefined } } }).result
    expect(result).toMatchObject({ outcome: 'ok', truncatedTo: 50_000 })
    expect(result.output).toContain('disk full')
  })
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
    const { controller, result } = start(
      tool(async function* () {
        try {
          await new Promise<void>((resolve) => (goOn = resolve))
          yield 'late'
          steps.push('never')
        } finally {
          steps.push('closed')
        }
      }),
    )
    controller.abort()
    await result
    goOn?.()
    await microtasks()
    expect(steps).toEqual(['closed'])
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

describe('what a tool declares', () => {
  test('files, changes and images come with the result', async () => {
    const blobs = memoryBlobs()
    const probe = tool(async (_, ctx) => {
      ctx.fileChange({ path: 'a.txt', kind: 'modified', diff: `+${'x'.repeat(30_000)}` })
      void ctx.present({ name: 'r.csv', mediaType: 'text/csv', bytes: new Uint8Array(2), title: 'Report' })
      return toolContent([
        { type: 'text', text: 'see:' },
        { type: 'image', mediaType: 'image/png', bytes: new Uint8Array(4) },
      ])
    })
    const result = await start(probe, { host: { blobs } }).result
    expect(result.output).toBe('see:')
    expect(result.changes).toMatchObject([{ path: 'a.txt', truncated: true }])
    expect(result.changes?.[0]?.diff).toHaveLength(20_000)
    expect(result.artifacts).toMatchObject([{ id: 'art_1', name: 'r.csv', size: 2, title: 'Report', sha256: 'sha-0' }])
    expect(result.images).toEqual([{ mediaType: 'image/png', blob: { sha256: 'sha-1', size: 4 } }])
  })

  test('images without a place to keep them are named in the text', async () => {
    const image = { type: 'image', mediaType: 'image/png', bytes: new Uint8Array(4) } as const
    const result = await run(() => toolContent([image]))
    expect(result.images).toBeUndefined()
    expect(resultText(result)).toContain('image')
  })

  test('what is declared wrongly is an error that says what is right', async () => {
    const changed = await run((_, ctx) => ctx.fileChange({ path: 'a', kind: 'moved' } as unknown as FileChange))
    expect(changed).toMatchObject({ outcome: 'error', output: expect.stringContaining('fileChange takes') })
    const file = { name: 'a', mediaType: 'text/plain', bytes: 'text' } as unknown as PresentedFile
    const presented = await run((_, ctx) => ctx.present(file))
    expect(presented).toMatchObject({ outcome: 'error', output: expect.stringContaining('present takes') })
    expect(await run(() => toolContent([{ type: 'audio' }] as never))).toMatchObject({ outcome: 'error' })
  })

  test('what is not there is refused, and nobody has to listen', async () => {
    const result = await run(async (_, ctx) => {
      void ctx.ask([])
      void ctx.blobs.get('x')
      ctx.log('nowhere')
      return ctx.blobs.put(new Uint8Array(1)).catch((error: Error) => error.message)
    })
    expect(result.output).toContain('not kept here')
  })

  test('the idempotency key names run and call', async () => {
    expect((await run((_, ctx) => ctx.idempotencyKey)).output).toBe('run_1:call_1')
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
