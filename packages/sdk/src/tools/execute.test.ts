import { describe, expect, test } from 'vitest'
import type { FileChange } from '../protocol/messages.ts'
import { resultText } from '../protocol/text.ts'
import { type Execute, memoryBlobs, run, start, tool } from '../testing/tool-call.ts'
import { toolContent } from './content.ts'
import type { PresentedFile } from './tool.ts'

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

  test('says when the whole text could not be kept', async () => {
    const probe = tool(() => 'x'.repeat(5_000_000))
    const put = () => Promise.reject(new Error('disk full'))
    const result = await start(probe, { host: { blobs: { put, get: async () => undefined } } }).result
    expect(result).toMatchObject({ outcome: 'ok', truncatedTo: 50_000 })
    expect(result.full).toBeUndefined()
    expect(result.output).toContain('disk full')
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

  test('images that cannot be kept are named in the text', async () => {
    const image = { type: 'image', mediaType: 'image/png', bytes: new Uint8Array(4) } as const
    const put = () => Promise.reject(new Error('disk full'))
    const probe = tool(() => toolContent([image]))
    const result = await start(probe, { host: { blobs: { put, get: async () => undefined } } }).result
    expect(result.images).toBeUndefined()
    expect(resultText(result)).toContain('an image could not be kept: disk full')
  })

  test('what is declared wrongly is an error that says what is right', async () => {
    const changed = await run((_, ctx) => ctx.fileChange({ path: 'a', kind: 'moved' } as unknown as FileChange))
    expect(changed).toMatchObject({ outcome: 'error', output: expect.stringContaining('fileChange takes') })
    const file = { name: 'a', mediaType: 'text/plain', bytes: 'text' } as unknown as PresentedFile
    const presented = await run((_, ctx) => ctx.present(file))
    expect(presented).toMatchObject({ outcome: 'error', output: expect.stringContaining('present takes') })
    expect(await run(() => toolContent([{ type: 'audio' }] as never))).toMatchObject({ outcome: 'error' })
  })

  test('what is refused does no harm where nobody listens', async () => {
    const refuse = () => Promise.reject(new Error('disk full'))
    const probe = tool(async (_, ctx) => {
      void ctx.ask([])
      void ctx.blobs.get('x')
      ctx.log('nowhere')
      return ctx.blobs.put(new Uint8Array(1)).catch((error: Error) => error.message)
    })
    expect((await start(probe, { host: { blobs: { put: refuse, get: refuse } } }).result).output).toBe('disk full')
    expect((await run((_, ctx) => ctx.ask([]))).output).toContain('nobody can be asked here')
  })

  test('the idempotency key names run and call', async () => {
    expect((await run((_, ctx) => ctx.idempotencyKey)).output).toBe('run_1:call_1')
  })
})
