import { expect, test } from 'vitest'
import { lineDiff } from './line-diff.ts'

const lines = (...all: string[]) => all.map((line) => `${line}\n`).join('')

test('shows what changed with three lines around it', () => {
  const before = lines('1', '2', '3', '4', '5', '6', '7', '8', '9')
  const { diff, added, removed } = lineDiff(before, before.replace('5\n', 'five\nfive and a half\n'))
  expect([added, removed]).toEqual([2, 1])
  expect(diff.split('\n')).toEqual([
    '@@ -2,7 +2,8 @@',
    ' 2',
    ' 3',
    ' 4',
    '-5',
    '+five',
    '+five and a half',
    ' 6',
    ' 7',
    ' 8',
  ])
})

test.each([
  ['a new file', '', lines('a'), '@@ -0,0 +1,1 @@\n+a'],
  ['an emptied one', lines('a'), '', '@@ -1,1 +0,0 @@\n-a'],
  ['the end of the last line', 'a', lines('a'), '@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a'],
  ['a repeated line', lines('a', 'a'), lines('a', 'a', 'a'), '@@ -1,2 +1,3 @@\n a\n a\n+a'],
  ['nothing', 'a', 'a', ''],
])('%s', (_what, before, after, diff) => {
  expect(lineDiff(before, after).diff).toBe(diff)
})
