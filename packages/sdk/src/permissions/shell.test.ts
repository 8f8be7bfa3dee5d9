import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readCommandLine } from './shell.ts'
import { quoteWord } from './shell-words.ts'

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stepwell-shell-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The words a real shell hands to a command, for each text. Nothing can be found to run, and the folder is empty. */
function wordsIn(shell: string, texts: readonly string[]): string[][] {
  const script = [
    `words() { for word in "$@"; do printf '%s\\0' "$word"; done; printf '\\001'; }`,
    ...texts.map((text) => `words ${text}`),
  ]
  const options = { cwd: folder, env: { PATH: '' }, input: script.join('\n'), encoding: 'utf8', stdio: 'pipe' } as const
  const said = execFileSync(shell, ['-s'], options).split('\u0001').slice(0, -1)
  return said.map((words) => words.split('\0').slice(0, -1))
}

describe.each(['/bin/bash', '/bin/sh'])('as %s reads it', (shell) => {
  const scraps = [
    'a',
    'b',
    '-c',
    '1',
    ' ',
    ' ',
    '"',
    "'",
    '\\',
    '$',
    '~',
    '=',
    '!',
    '#',
    '*',
    '?',
    '[',
    ']',
    '{',
    '}',
    ',',
    ':',
    '/',
    '%',
    '^',
    '@',
    '+',
  ]

  test('every line that is understood has the words we say it has', () => {
    const line = fc.array(fc.constantFrom(...scraps), { minLength: 1, maxLength: 12 }).map((pieces) => pieces.join(''))
    const understood = fc
      .sample(line, { seed: 7, numRuns: 5000 })
      .filter((text) => readCommandLine(`words ${text}`).unclear === undefined)
    expect(understood.length).toBeGreaterThan(500)
    const ours = understood.map((text) => readCommandLine(`words ${text}`))
    expect(ours.flatMap(({ redirects }) => redirects)).toEqual([])
    expect(ours.map(({ commands }) => commands)).toEqual(
      wordsIn(shell, understood).map((words) => [['words', ...words]]),
    )
  })

  test('a quoted word is read back as it was', () => {
    const units = ['a', 'B', '0', ' ', '"', "'", '\\', '$', '`', '*', '~', '!', '-', '=', 'é', '\n']
    const word = fc.string({ unit: fc.constantFrom(...units), maxLength: 8 })
    const lines = fc.sample(fc.array(word, { minLength: 1, maxLength: 4 }), { seed: 8, numRuns: 500 })
    const texts = lines.map((words) => words.map(quoteWord).join(' '))
    expect(wordsIn(shell, texts)).toEqual(lines)
    expect(texts.map((text) => readCommandLine(`words ${text}`).commands)).toEqual(
      lines.map((words) => [['words', ...words]]),
    )
  })
})

test('joined commands are taken apart', () => {
  expect(readCommandLine('a 1 && (b 2 | c 3; { d 4; }) & e > out < in 2>&1')).toEqual({
    commands: [['a', '1'], ['b', '2'], ['c', '3'], ['d', '4'], ['e']],
    hidden: [],
    redirects: [
      { direction: '>', path: 'out' },
      { direction: '<', path: 'in' },
    ],
    hiddenRedirects: [],
  })
})

test.each([
  ['', 'it holds no command'],
  ['# nothing', 'it holds no command'],
  ['a $(b)', 'the shell would change $(b)'],
  ['a >b 3<<<c', 'it feeds text to a command'],
  ['x=1 a', 'it sets variables'],
  ['printf -v PATH x', '"printf" changes what the rest means'],
  ['if a; then b; fi', 'it uses conditions'],
  ['((1))', 'it uses arithmetic'],
  ['a\u0007', 'it holds control characters'],
  ['a \ud800', 'it is no well-formed text'],
  ['a '.repeat(20_000), 'it is longer than 20000 characters'],
])('%j is unclear: %s', (text, why) => {
  expect(readCommandLine(text).unclear).toBe(why)
})

test.each([
  ['sudo ', 3900],
  ['env ', 4900],
  ['sudo sh -c "a b" ', 1100],
  ['$(', 9000],
  ['"$(', 6000],
  ['<(', 9000],
  ['eval \'sh -c "x y"\' ', 1000],
])('the work is bounded: %j, %i times, is unclear', (text, times) => {
  const line = readCommandLine(text.repeat(times))
  expect(line.unclear).toBeDefined()
  expect(line.hidden.length).toBeLessThan(20_000)
})
