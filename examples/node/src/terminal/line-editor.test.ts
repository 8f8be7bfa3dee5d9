import { expect, test } from 'vitest'
import { keys } from '../testing/keys.ts'
import { lineEditor } from './line-editor.ts'

function typed(text: string) {
  const editor = lineEditor()
  for (const key of keys(text)) editor.press(key)
  return editor
}

test('a line is edited with the usual keys', () => {
  expect(typed('hello<left><left>p<backspace>!').text).toBe('hel!lo')
  expect(typed('one two<C-w>three').text).toBe('one three')
  expect(typed('👍a<left><left>x').text).toBe('x👍a')
})

test('several lines are one row, and come out as they were', () => {
  const editor = lineEditor()
  editor.press({ name: 'paste', text: 'a\r\nb\tc', ctrl: false, meta: false })
  expect(editor.line).toBe('a␤b␉c')
  expect(editor.take()).toBe('a\nb\tc')
  expect(editor.text).toBe('')
})

test('what was taken comes back with the arrow up', () => {
  const editor = typed('first')
  editor.take()
  for (const key of keys('second<C-u><up>')) editor.press(key)
  expect(editor.text).toBe('first')
})

test('keys that would do something to the program do nothing', () => {
  expect(typed('a<C-z><C-c><C-l><tab><escape><return>b<C-d>').text).toBe('ab')
  const editor = typed('ab<left>')
  for (const key of keys('<C-d>')) editor.press(key)
  expect(editor.text).toBe('a')
})

test('nothing that is pasted steers the terminal', () => {
  const editor = lineEditor()
  editor.set('\x1b[2J')
  expect(editor.line).toBe('\\u001b[2J')
})
