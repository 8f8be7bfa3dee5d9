import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fakeTerminal } from '../testing/fake-terminal.ts'
import { createScreen } from './screen.ts'

test('the area stays below what is written, in the middle of a line too', () => {
  const terminal = fakeTerminal(20)
  const screen = createScreen(terminal)
  screen.live({ rows: ['working', '> hi'], cursor: { row: 1, column: 3 } })
  screen.write('Hello')
  expect(terminal.text()).toBe('Hello\n\nworking\n> hi')
  expect(terminal.cursor).toEqual({ row: 3, column: 3 })
  screen.write(' there, this is a longer line.\n')
  expect(terminal.text()).toBe('Hello there, this is\n a longer line.\nworking\n> hi')
  screen.live({ rows: ['> '] })
  expect(terminal.text()).toBe('Hello there, this is\n a longer line.\n>')
  screen.live(undefined)
  screen.write('End.')
  expect(terminal.text()).toBe('Hello there, this is\n a longer line.\nEnd.')
})

test('however text is cut into pieces, it comes out as if there were no area', () => {
  const pieces = fc.array(fc.stringMatching(/^[ab \n]{1,9}$/), { maxLength: 12 })
  fc.assert(
    fc.property(pieces, fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1 }), (texts, heights) => {
      const terminal = fakeTerminal(7)
      const plain = fakeTerminal(7)
      const screen = createScreen(terminal)
      texts.forEach((text, at) => {
        screen.live({ rows: Array<string>(heights[at % heights.length] ?? 1).fill('-----') })
        screen.write(text)
        plain.write(text)
      })
      screen.live(undefined)
      expect(terminal.text().trimEnd()).toBe(plain.text().trimEnd())
    }),
  )
})

test('a terminal that became narrower is left with no old rows', () => {
  const terminal = fakeTerminal(20)
  const screen = createScreen(terminal)
  screen.write('Hello.\n')
  screen.live({ rows: ['status', '> '], cursor: { row: 1, column: 2 } })
  terminal.columns = 10
  screen.live({ rows: ['new', '> '], cursor: { row: 1, column: 2 } })
  expect(terminal.text()).toBe('Hello.\nnew\n>')
})

test('elsewhere than on a terminal there is no area', () => {
  const terminal = { ...fakeTerminal(20), isTTY: false }
  const screen = createScreen(terminal)
  screen.live({ rows: ['working'] })
  screen.write('Hello\n')
  expect(terminal.text()).toBe('Hello\n')
})
