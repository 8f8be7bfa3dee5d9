import fc from 'fast-check'
import { expect, test } from 'vitest'
import { asJson } from './as-json.ts'
import { serialise } from './serialise.ts'

test('says the same as serialise, of plain values and of any others', async () => {
  const value = fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true, withNullPrototype: true })
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.jsonValue(), value), async (value) => {
      expect(await asJson(value)).toEqual(serialise(value))
    }),
    { seed: 11, numRuns: 500 },
  )
})

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['what is very deep', Array.from({ length: 300 }).reduce<unknown>((inner) => [inner], 'x')],
  ['what is very large', Array.from({ length: 150_000 }, (_, i) => i)],
  ['a hole', Object.assign([1], { 2: 3 })],
  ['a key that is no key', JSON.parse('{"__proto__":{"a":1},"b":2}')],
  ['half a character', { 'a\ud800': 'b\udc00' }],
])('and of %s', async (_, value) => expect(await asJson(value)).toEqual(serialise(value)))

test('the tool may go on changing what it returned', async () => {
  const value = { list: [1] }
  const json = await asJson(value)
  value.list.push(2)
  expect(json).toEqual({ list: [1] })
})
