import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { normalise } from '../protocol/json.ts'
import { serialise } from './serialise.ts'

describe('what JSON has no word for', () => {
  const shared = { x: 1 }
  const cases: Record<string, [value: unknown, written: unknown]> = {
    undefined: [undefined, ''],
    'undefined inside': [{ a: undefined, b: [undefined, 1] }, { b: [null, 1] }],
    numbers: [
      [Number.NaN, Number.POSITIVE_INFINITY, -0],
      ['NaN', 'Infinity', 0],
    ],
    bigint: [{ a: 12345678901234567890n }, { a: '12345678901234567890' }],
    dates: [
      [new Date(0), new Date(Number.NaN)],
      ['1970-01-01T00:00:00.000Z', null],
    ],
    'a map with names': [new Map([['k', new Set([1, 2])]]), { k: [1, 2] }],
    'a map without': [new Map([[{ id: 1 }, 'v']]), [[{ id: 1 }, 'v']]],
    bytes: [new Uint8Array([1, 2, 255]), { bytes: 3, base64: 'AQL/' }],
    'an array buffer': [new ArrayBuffer(1), { bytes: 1, base64: 'AA==' }],
    'a view on part of a buffer': [new DataView(new Uint8Array([9, 1, 9]).buffer, 1, 1), { bytes: 1, base64: 'AQ==' }],
    'numbers in a typed array': [new Float32Array([0.5, 2]), [0.5, 2]],
    'big numbers in a typed array': [new BigInt64Array([7n]), ['7']],
    'an error': [
      Object.assign(new Error('m', { cause: 'c' }), { code: 'E' }),
      { name: 'Error', message: 'm', cause: 'c', code: 'E' },
    ],
    functions: [{ f: () => 1, list: [function named() {}] }, { list: ['[function named]'] }],
    symbols: [[Symbol('s')], ['Symbol(s)']],
    boxed: [
      [Object(1), Object('s'), Object(true)],
      [1, 's', true],
    ],
    toJSON: [
      { at: { toJSON: () => ({ deep: 1n }) }, url: new URL('https://x.test/a') },
      { at: { deep: '1' }, url: 'https://x.test/a' },
    ],
    'a pattern and a query': [
      [/a+/g, new URLSearchParams({ q: 'x y' })],
      ['/a+/g', 'q=x+y'],
    ],
    'the same twice is no circle': [
      [shared, shared],
      [{ x: 1 }, { x: 1 }],
    ],
    '__proto__ as a key': [JSON.parse('{"__proto__":{"a":1},"b":2}'), { b: 2 }],
    'lone surrogates': [{ '\ud83d': 'x\ude00' }, { '\ufffd': 'x\ufffd' }],
    'no prototype': [Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
  }
  for (const [name, [value, written]] of Object.entries(cases)) {
    test(name, () => expect(serialise(value)).toEqual(written))
  }
})

test('circles, in maps and arrays too', () => {
  const map = new Map<string, unknown>()
  map.set('self', [map])
  expect(serialise(map)).toEqual({ self: ['[Circular]'] })
})

test('what is too deep or too large is cut, not waited for', () => {
  let deep: unknown = 'bottom'
  for (let i = 0; i < 100_000; i++) deep = [deep]
  expect(JSON.stringify(serialise(deep))).toContain('[nested too deeply]')
  let wide: unknown = 'leaf'
  for (let i = 0; i < 60; i++) wide = [wide, wide]
  expect(JSON.stringify(serialise(wide))).toContain('[too large]')
  const huge = serialise(new Array(2 ** 32 - 1)) as unknown[]
  expect(huge.at(-1)).toBe('[too large]')
})

test('JSON comes back as it was, and nothing needs to be normalised any more', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(serialise(value)).toEqual(JSON.parse(JSON.stringify(value)))
    }),
    { seed: 20_260_106, numRuns: 300 },
  )
  fc.assert(
    fc.property(
      fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true, withTypedArray: true }),
      (value) => {
        const written = serialise(value)
        expect(normalise(written)).toBe(written)
        expect(JSON.parse(JSON.stringify(written))).toEqual(written)
      },
    ),
    { seed: 20_260_107, numRuns: 300 },
  )
})
