import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wireNames } from './wire-names.ts'

const awkward = [
  'notion.search',
  'notion_search',
  'a/b/c',
  'a b',
  `${'x'.repeat(80)}1`,
  `${'x'.repeat(80)}2`,
  '日本',
  'constructor',
  '__proto__',
  '',
]

test('names are legal, distinct and come back, in whichever order they are given', () => {
  const names = fc.uniqueArray(fc.oneof(fc.string(), fc.constantFrom(...awkward)), { minLength: 1 })
  fc.assert(
    fc.property(names, fc.func(fc.integer()), (given, order) => {
      const wire = wireNames(given)
      const shuffled = wireNames([...given].sort((a, b) => order(a) - order(b)))
      const sent = given.map((name) => wire.toWire(name))
      expect(new Set(sent).size).toBe(given.length)
      for (const name of given) {
        expect(wire.toWire(name)).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
        expect(wire.fromWire(wire.toWire(name))).toBe(name)
        expect(shuffled.toWire(name)).toBe(wire.toWire(name))
      }
    }),
    { seed: 1 },
  )
})

test('legal names stay, whatever else is there', () => {
  const wire = wireNames(awkward)
  for (const name of ['notion_search', 'constructor', '__proto__']) expect(wire.toWire(name)).toBe(name)
})

test('a name is the same with and without other tools, and when its tool is gone', () => {
  expect(wireNames(['a.b']).toWire('a.b')).toBe(wireNames(awkward).toWire('a.b'))
})

test('a name nobody gave comes back as it is', () => {
  expect(wireNames(awkward).fromWire('toString')).toBe('toString')
})
