import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lineFolder } from './line-folder.ts'

const MAX_LINE = 1000

function fold(...chunks: string[]): string {
  const folder = lineFolder(MAX_LINE)
  for (const chunk of chunks) folder.push(chunk)
  return folder.end()
}

/** The same in one line of thought: of each line, what stands behind its last inner `\r`. */
function expected(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replace(/\r+$/, '').split('\r').at(-1))
    .join('\n')
}

test('only the last version of a line stays', () => {
  expect(fold('10%\r20%\r100%\ndone\n')).toBe('100%\ndone\n')
  expect(fold('windows\r\nlines\r\n')).toBe('windows\nlines\n')
  expect(fold('10%\r20%\r')).toBe('20%')
  expect(fold('10%', '\r', '20%')).toBe('20%')
})

test('plain text is given at once, a line that is being rewritten when it is over', () => {
  const folder = lineFolder(MAX_LINE)
  folder.push('start\nworking')
  expect(folder.take()).toBe('start\nworking')
  folder.push(' hard\n0%\r')
  expect(folder.take()).toBe(' hard\n')
  folder.push('50%\r')
  expect(folder.take()).toBe('')
  folder.push('100%\nnext')
  expect(folder.take()).toBe('100%\nnext')
  expect(folder.end()).toBe('')
})

test('what was given already cannot be taken back, so the last version gets a line of its own', () => {
  const folder = lineFolder(MAX_LINE)
  folder.push('10%')
  expect(folder.take()).toBe('10%')
  folder.push('\r20%\r30%')
  expect(folder.take()).toBe('')
  folder.push('\n')
  expect(folder.take()).toBe('\n30%\n')
})

test('a version does not grow without end', () => {
  const folder = lineFolder(10)
  folder.push('\r')
  for (let i = 0; i < 100; i++) folder.push('12345')
  expect(folder.end()).toBe('1234512345')
})

const chunks = fc.array(
  fc.array(fc.constantFrom('a', 'b', '\r', '\n', '\r\n', '1%'), { maxLength: 6 }).map((p) => p.join('')),
  {
    maxLength: 8,
  },
)

test('in any chunks, the same as the whole text', () => {
  fc.assert(
    fc.property(chunks, (parts) => {
      expect(fold(...parts)).toBe(expected(parts.join('')))
    }),
    { seed: 20_260_103, numRuns: 1000 },
  )
})

test('taken at any time, it still ends every line with its last version', () => {
  fc.assert(
    fc.property(chunks, (parts) => {
      const folder = lineFolder(MAX_LINE)
      let shown = ''
      for (const part of parts) {
        folder.push(part)
        shown += folder.take()
      }
      shown += folder.end()
      const lines = shown.split('\n')
      let at = 0
      for (const line of expected(parts.join('')).split('\n')) {
        at = lines.indexOf(line, at) + 1
        expect(at).toBeGreaterThan(0)
      }
      expect(shown).not.toContain('\r')
    }),
    { seed: 20_260_104, numRuns: 1000 },
  )
})
