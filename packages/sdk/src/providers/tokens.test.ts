import { expect, test } from 'vitest'
import { tokenCount } from './tokens.ts'

test.each([
  [0, 0],
  [7, 7],
  ['7', 7],
  [1.6, 2],
  [-1, undefined],
  [Number.NaN, undefined],
  [Number.POSITIVE_INFINITY, undefined],
  ['', undefined],
  ['many', undefined],
  [null, undefined],
  [undefined, undefined],
  [{}, undefined],
])('%j counts as %j', (reported, count) => {
  expect(tokenCount(reported)).toBe(count)
})
