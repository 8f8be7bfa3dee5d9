import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { normalise, normaliseText } from './json.ts'

const text = fc.string({ unit: 'binary', maxLength: 6 })
const brokenText = fc
  .array(fc.constantFrom('a', '\u0000', '\ud83d', '\ude00', '😀', '"', '\\', '%'))
  .map((all) => all.join(''))
const key = fc.oneof(text, brokenText, fc.constantFrom('__proto__', 'constructor', 'toString', "'"))

class Point {
  x = 1
  toJSON() {
    return 'a point'
  }
}

/** Anything a tool or a model may hand in. */
const { anything } = fc.letrec<{ anything: unknown; object: unknown }>((tie) => ({
  object: fc.array(fc.tuple(key, tie('anything')), { maxLength: 4 }).map((entries) => {
    const object = {}
    for (const [name, value] of entries) {
      Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
    }
    return object
  }),
  anything: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(text, brokenText, fc.double(), fc.boolean(), fc.constant(-0), fc.constant(null)),
    fc.oneof(fc.constant(undefined), fc.bigInt(), fc.date({ noInvalidDate: false })),
    fc.constantFrom<unknown>(() => 1, Symbol('s'), new Point(), new Map([[1, 2]]), new Uint8Array(2)),
    tie('object'),
    fc.array(tie('anything'), { maxLength: 4 }),
  ),
}))

function nested(levels: number): unknown {
  let value: unknown = 'bottom'
  for (let i = 0; i < levels; i++) value = i % 2 === 0 ? { inner: value } : [value]
  return value
}

describe('normalise, whatever it gets', () => {
  const check = (property: (value: unknown) => void) =>
    fc.assert(fc.property(anything, property), { seed: 5, numRuns: 1000 })

  test('gives what JSON can hold: a round trip changes nothing', () => {
    check((value) => {
      const normal = normalise(value)
      expect(isDeepStrictEqual(JSON.parse(JSON.stringify(normal)), normal)).toBe(true)
    })
  })

  test('gives well-formed text without U+0000, in values and keys', () => {
    check((value) => {
      const json = JSON.stringify(normalise(value))
      expect(json.isWellFormed()).toBe(true)
      // JSON.stringify escapes lone surrogates and U+0000: an escape that is not itself escaped would be one.
      expect(json.replaceAll('\\\\', '')).not.toMatch(/\\u(0000|d[89a-f])/i)
    })
  })

  test('gives what is clean back as the same reference, so twice is once', () => {
    check((value) => {
      const normal = normalise(value)
      expect(Object.is(normalise(normal), normal)).toBe(true)
    })
  })

  test('leaves what it was given as it was', () => {
    check((value) => {
      const frozen = deepFrozen(value)
      expect(() => normalise(frozen)).not.toThrow()
    })
  })
})

describe('normalise', () => {
  test('replaces U+0000 and lone surrogates, and leaves pairs alone', () => {
    expect(normalise('a\u0000b')).toBe('a\uFFFDb')
    expect(normalise('x\ud83d')).toBe('x\uFFFD')
    expect(normalise('😀 👩‍🚀')).toBe('😀 👩‍🚀')
    expect(normaliseText('\ude00\ud83d')).toBe('\uFFFD\uFFFD')
    expect(normalise({ 'k\u0000': 1 })).toEqual({ 'k\uFFFD': 1 })
  })

  test('drops __proto__ and pollutes nothing', () => {
    const hostile: unknown = JSON.parse(
      '{"__proto__":{"admin":true},"constructor":1,"in":{"__proto__":{"admin":true}}}',
    )
    const normal = normalise(hostile)
    expect(Object.keys(normal as object)).toEqual(['constructor', 'in'])
    expect('admin' in {}).toBe(false)
    expect('admin' in (normal as { in: object }).in).toBe(false)
  })

  test('what JSON has no word for disappears from objects and becomes null in arrays', () => {
    expect(normalise({ a: undefined, b: 1, c: () => 1, d: 1n, e: Symbol('s') })).toStrictEqual({ b: 1 })
    expect(normalise([undefined, () => 1, 1n])).toStrictEqual([null, null, null])
    expect(normalise(Array(2))).toStrictEqual([null, null])
    expect(normalise([Number.NaN, Number.POSITIVE_INFINITY, -0])).toStrictEqual([null, null, 0])
    expect(normalise({ zero: -0, none: Number.NaN })).toStrictEqual({ zero: 0, none: null })
    expect(normalise(undefined)).toBeNull()
  })

  test('an instance becomes a plain object of its own properties', () => {
    expect(normalise(new Point())).toStrictEqual({ x: 1 })
    expect(normalise({ at: new Date(0) })).toStrictEqual({ at: {} })
  })

  test('cuts at a thousand levels', () => {
    const normal = normalise(nested(2000))
    expect(JSON.stringify(normal)).toContain('[nested too deeply]')
    expect(normalise(normal)).toBe(normal)
    const shallow = nested(999)
    expect(normalise(shallow)).toBe(shallow)
  })

  test('a ring is cut where it closes, however often it branches', () => {
    const ring: Record<string, unknown> = { name: 'ring' }
    for (let i = 0; i < 50; i++) ring[`way${i}`] = ring
    expect(normalise(ring)).toMatchObject({ name: 'ring', way0: '[circular]', way49: '[circular]' })
    const shared = { n: 1 }
    expect(normalise([shared, shared])).toEqual([{ n: 1 }, { n: 1 }])
  })

  test('copies only the branch that needed it', () => {
    const clean = { deep: [1, 2, { three: 3 }] }
    const normal = normalise({ clean, dirty: 'a\u0000' }) as { clean: unknown }
    expect(normal.clean).toBe(clean)
  })

  test('takes a text of 8 MB as it is', () => {
    const big = 'x'.repeat(8 * 2 ** 20)
    expect(normalise({ big })).toEqual({ big })
  })
})

function deepFrozen(value: unknown): unknown {
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value) && !Object.isFrozen(value)) {
    Object.freeze(value)
    Object.values(value).forEach(deepFrozen)
  }
  return value
}
