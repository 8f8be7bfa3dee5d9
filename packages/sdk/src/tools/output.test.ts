import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ToolProgress } from '../protocol/events.ts'
import { manualClock } from '../testing/manual-clock.ts'
import { outputPump } from './output.ts'

function open() {
  const clock = manualClock()
  const emitted: string[] = []
  const progress: (ToolProgress | undefined)[] = []
  const pump = outputPump(clock, (text, report) => {
    emitted.push(text)
    progress.push(report)
  })
  return { clock, emitted, progress, pump }
}

test('the first piece at once, what follows once in a window', () => {
  const { clock, emitted, pump } = open()
  pump.push('a')
  expect(emitted).toEqual(['a'])
  pump.push('b')
  pump.push('c')
  expect(emitted).toEqual(['a'])
  clock.advance(50)
  expect(emitted).toEqual(['a', 'bc'])
  clock.advance(50)
  expect(clock.pending).toBe(0)
  pump.push('d')
  expect(emitted).toEqual(['a', 'bc', 'd'])
})

test('the rest comes with the end, and nothing after it', () => {
  const { clock, emitted, pump } = open()
  pump.push('a')
  pump.push('b')
  pump.end()
  pump.push('c')
  pump.end()
  clock.advance(1000)
  expect(emitted).toEqual(['a', 'b'])
  expect(clock.pending).toBe(0)
})

test('the last progress of a window counts, without what means nothing', () => {
  const { clock, emitted, progress, pump } = open()
  pump.push('', { done: 1, total: 0 })
  pump.push('', { done: 2, total: Number.POSITIVE_INFINITY, label: 'half' })
  pump.push('', { done: 3, total: 4, unit: 'files' })
  clock.advance(50)
  expect(progress).toEqual([{ done: 1 }, { done: 3, total: 4, unit: 'files' }])
  expect(emitted).toEqual(['', ''])
})

test('characters are never halved, also between chunks; a lone half is replaced', () => {
  const { clock, emitted, pump } = open()
  pump.push('x\ud83d')
  expect(emitted).toEqual(['x'])
  pump.push('\ude00\ud83d')
  clock.advance(50)
  pump.end()
  expect(emitted).toEqual(['x', '😀', '\ufffd'])
})

describe('the limit', () => {
  test('one note, then silence, while progress goes on', () => {
    const { clock, emitted, progress, pump } = open()
    pump.push('x'.repeat(99_999))
    pump.push('😀 and more')
    clock.advance(50)
    pump.push('again', { done: 1 })
    clock.advance(50)
    pump.end()
    expect(emitted.slice(1)).toEqual(['\n[more output is not shown: over 100,000 characters]\n', ''])
    expect(progress.at(-1)).toEqual({ done: 1 })
  })

  test('exactly as much is not too much', () => {
    const { emitted, pump } = open()
    pump.push('x'.repeat(100_000))
    pump.end()
    expect(emitted).toHaveLength(1)
  })
})

test('however the text comes in chunks, people see the same', () => {
  const piece = fc.constantFrom(
    'a',
    '😀',
    '\n',
    '\r',
    '\r\n',
    '\u001b[31m',
    '\u001b[0m',
    '\u001b]0;t\u0007',
    '10%',
    ' ',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), fc.array(fc.nat(40), { maxLength: 8 }), (pieces, cuts) => {
      const text = pieces.join('')
      const whole = open()
      whole.pump.push('', { done: 0 })
      whole.pump.push(text)
      whole.pump.end()
      const split = open()
      split.pump.push('', { done: 0 })
      let from = 0
      for (const cut of [...cuts, text.length].sort((a, b) => a - b)) {
        split.pump.push(text.slice(from, cut))
        from = Math.max(from, cut)
      }
      split.pump.end()
      expect(split.emitted.join('')).toBe(whole.emitted.join(''))
    }),
    { seed: 20_260_101, numRuns: 500 },
  )
})
