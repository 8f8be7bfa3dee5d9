import { expect, test } from 'vitest'
import { generationOf, indexOf, MAX_GENERATION, makeSeq } from './seq.ts'

test('a seq holds generation and index exactly, up to the last of both', () => {
  for (const [generation, index] of [
    [0, 1],
    [1, 1],
    [7, 2 ** 32 - 1],
    [MAX_GENERATION, 2 ** 32 - 1],
  ] as const) {
    const seq = makeSeq(generation, index)
    expect(Number.isSafeInteger(seq)).toBe(true)
    expect([generationOf(seq), indexOf(seq)]).toEqual([generation, index])
  }
  expect(makeSeq(MAX_GENERATION, 2 ** 32 - 1)).toBe(Number.MAX_SAFE_INTEGER)
})

test('every seq of a newer owner is above every seq of an older one', () => {
  expect(makeSeq(2, 1)).toBeGreaterThan(makeSeq(1, 2 ** 32 - 1))
  expect(makeSeq(0, 1)).toBe(1)
})
