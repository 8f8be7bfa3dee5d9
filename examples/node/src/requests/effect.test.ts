import { expect, test } from 'vitest'
import { plain, type Style } from '../terminal/style.ts'
import { effectText } from './effect.ts'

test('a command is shown whole, and nothing in it can hide the rest', () => {
  const command = 'ls\nrm -r x\r\u202e# nothing\x1b[8m'
  expect(effectText({ title: 'Run a command', command }, plain)).toBe(
    '? Run a command\n  $ ls\n  $ rm -r x\\u000d\\u202e# nothing\\u001b[8m\n',
  )
})

test('a diff has its colours', () => {
  const marked: Style = (kind, text) => `<${kind} ${text}>`
  expect(effectText({ title: 'Edit a', diff: '@@ -1,1 +1,1 @@\n-a\n+b\n c' }, marked)).toBe(
    '<yellow ? Edit a>\n  <cyan @@ -1,1 +1,1 @@>\n  <red -a>\n  <green +b>\n   c\n',
  )
  expect(effectText({ title: 'Overwrite a', diff: '' }, plain)).toBe('? Overwrite a\n  Nothing would change.\n')
})
