import fc from 'fast-check'
import { expect, test } from 'vitest'
import { truncateText } from './truncate.ts'

test('cuts on a character', () => {
  expect(truncateText('123456789😀tail', 10)).toBe('123456789')
  expect(truncateText('123456789😀tail', 11)).toBe('123456789😀')
  expect(truncateText('short', 5)).toBe('short')
  expect(truncateText('😀', 1)).toBe('')
})

test('well-formed text stays well-formed, a prefix, and as long as it can be', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), fc.nat(50), (text, max) => {
      const cut = truncateText(text, max)
      expect(cut.isWellFormed()).toBe(text.isWellFormed())
      expect(text.startsWith(cut)).toBe(true)
      expect(cut.length).toBeLessThanOrEqual(max)
      expect(cut.length).toBeGreaterThanOrEqual(Math.min(text.length, max - 1))
    }),
    { seed: 20_260_105, numRuns: 1000 },
  )
})
