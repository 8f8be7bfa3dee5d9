import { expect, test } from 'vitest'
import { oneLine, printable } from './printable.ts'

test('text stays as it is, line ends and tabs too', () => {
  expect(printable('a\tb\r\nc\n👍🏽 é ‍ ﷽')).toBe('a\tb\nc\n👍🏽 é ‍ ﷽')
})

test('what a terminal would obey is spelled out', () => {
  expect(printable('\x1b[2J\x1b]52;c;aGk=\x07 \x9b1m \r \x7f \0')).toBe(
    '\\u001b[2J\\u001b]52;c;aGk=\\u0007 \\u009b1m \\u000d \\u007f \\u0000',
  )
  expect(printable('rm \u202e~')).toBe('rm \\u202e~')
})

test('one line is short and whole in its characters', () => {
  expect(oneLine('  one\n')).toBe('one')
  expect(oneLine('one\ntwo')).toBe('one …')
  expect(oneLine('👍👍👍👍', 3)).toBe('👍👍…')
})
