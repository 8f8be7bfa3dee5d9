import { expect, test } from 'vitest'
import { columnAfter, fitted, stretch, wrapped } from './columns.ts'

test.each([
  ['', 0],
  ['abc', 3],
  ['0123456789', 10],
  ['0123456789a', 1],
  ['012345678你', 2],
  ['\x1b[2mabc\x1b[22m', 3],
  ['a\tb', 9],
  ['👍🏽e\u0301', 3],
])('%j ends in column %i of 10', (line, column) => {
  expect(columnAfter(line, 10)).toBe(column)
})

test('a line that is too wide is cut between characters', () => {
  expect(fitted('abcdef', 6)).toBe('abcdef')
  expect(fitted('abcdef', 5)).toBe('abcd…')
  expect(fitted('你好吗', 5)).toBe('你好…')
})

test('a text is broken at blanks where there are any', () => {
  expect(wrapped('one two three\nfour', 8)).toEqual(['one two', 'three', 'four'])
  expect(wrapped('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij'])
})

test('the stretch around the cursor is what is shown of a long line', () => {
  expect(stretch('short', 2, 10)).toEqual({ text: 'short', column: 2 })
  expect(stretch('0123456789abc', 13, 10)).toEqual({ text: '…56789abc', column: 9 })
  expect(stretch('0123456789abc', 3, 10)).toEqual({ text: '012345678…', column: 3 })
  expect(stretch('0123456789abcdef', 12, 10)).toEqual({ text: '…456789abc'.slice(0, 10), column: 9 })
})
