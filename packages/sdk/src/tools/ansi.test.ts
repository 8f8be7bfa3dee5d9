import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ansiStripper } from './ansi.ts'

const strip = (...chunks: string[]) => {
  const next = ansiStripper()
  return chunks.map(next).join('')
}

test('colours, cursor moves, titles, links and controls go, text stays', () => {
  expect(strip('\u001b[1;31mred\u001b[0m')).toBe('red')
  expect(strip('\u001b[2K\u001b[1Gline\u001b[38:2::255:0:0m!')).toBe('line!')
  expect(strip('\u009b32mgreen')).toBe('green')
  expect(strip('\u001b]0;title\u0007text')).toBe('text')
  expect(strip('\u001b]8;;https://x.test\u001b\\link\u001b]8;;\u001b\\')).toBe('link')
  expect(strip('\u001b(Bplain\u001b=\u001bM')).toBe('plain')
  expect(strip('a\bb\u0000c\u007f\td\r\n')).toBe('abc\td\r\n')
  expect(strip('[31m is text, so is 5 > 3 — 読む 😀')).toBe('[31m is text, so is 5 > 3 — 読む 😀')
})

test('a sequence that never ends costs its line and no more', () => {
  expect(strip('\u001b]0;never\nnext')).toBe('\nnext')
  expect(strip('\u001b[12', '\nnext')).toBe('\nnext')
  expect(strip('\u001b[1\u001b[31mred')).toBe('red')
})

test('where the chunks are cut makes no difference, and no escape ever comes out', () => {
  const piece = fc.constantFrom(
    'a',
    '[',
    ']',
    '\\',
    '\n',
    '\u001b',
    '\u001b[31m',
    '\u001b]0;t',
    '\u0007',
    'm',
    '1',
    ';',
    '😀',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = pieces.join('')
      const whole = strip(text)
      expect(strip(...text.split(''))).toBe(whole)
      expect(whole).not.toContain('\u001b')
      expect(strip(whole)).toBe(whole)
    }),
    { seed: 20_260_102, numRuns: 1000 },
  )
})
