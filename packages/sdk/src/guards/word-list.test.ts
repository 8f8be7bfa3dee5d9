import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CheckedText, ComplianceVerdict, OutputCheck } from '../protocol/compliance.ts'
import { type WordListOptions, wordList } from './word-list.ts'

const context = { sessionId: 's' }

function input(text: string, words: readonly string[], action: WordListOptions['action'] = 'mask'): ComplianceVerdict {
  return wordList({ words, action }).input(text, context) as ComplianceVerdict
}

/** A text as it is shown once it was sent through a mask. */
function masked(text: string, ...words: readonly string[]): string {
  const verdict = input(text, words)
  return verdict.action === 'mask' ? verdict.text : text
}

function outputCheck(words: readonly string[], action: WordListOptions['action'] = 'mask'): OutputCheck {
  return wordList({ words, action, mask: '#' }).output('text', context)
}

/** Everything that is shown of a text that comes in pieces. */
function shown(check: OutputCheck, pieces: readonly string[]): CheckedText {
  const all = [...pieces.map((piece) => check.push(piece)), check.end()]
  const text = all.map((checked) => checked.text).join('')
  const worst = all.find(({ action }) => action === 'block') ?? all.find(({ action }) => action === 'mask')
  return { ...(worst ?? { action: 'allow' }), text } as CheckedText
}

describe('what counts as a word', () => {
  test.each<[string, string, string]>([
    ['Phoenix', 'The phoenix, PHOENIX!', 'The •••, •••!'],
    ['ass', 'A class, an ass, ass_1, ass-1.', 'A class, an •••, ass_1, •••-1.'],
    ['project x', 'Project X, project\nx, projectx, project  x', '•••, •••, projectx, project  x'],
    ['C++', 'C++, C++17, ABC++', '•••, •••17, ABC++'],
    ['.env', 'see a.env and .environment', 'see a••• and .environment'],
    ['Straße', 'STRASSE Strasse straße', '••• ••• •••'],
    ['café', 'caf\u00e9 cafe\u0301 cafe CAFÉ', '••• ••• cafe •••'],
    ['cafe', 'caf\u00e9 cafe\u0301 cafe', 'caf\u00e9 cafe\u0301 •••'],
    ['find', 'ﬁnd ＦＩＮＤ 𝐟𝐢𝐧𝐝', '••• ••• •••'],
    ['ΟΔΟΣ', 'οδος Οδός', '••• Οδός'],
    ['秘密', 'これは秘密です。', 'これは•••です。'],
    ['ลับ', 'ความลับนี้', 'ความ•••นี้'],
    ['カ', 'カ\u3099カメラ', 'カ\u3099•••メラ'],
    ['🦄', 'a🦄b', 'a•••b'],
  ])('%s in "%s"', (word, text, expected) => expect(masked(text, word)).toBe(expected))

  test('of two words at the same place the longer one counts, and matches do not overlap', () => {
    expect(masked('new york city, new york', 'new york', 'new york city')).toBe('•••, •••')
    expect(masked('foo bar baz', 'foo bar', 'bar baz')).toBe('••• baz')
    expect(masked('new yorker', 'new york', 'new')).toBe('••• yorker')
  })

  test('no words at all let everything pass, and an empty word is refused', () => {
    expect(input('Hello', [])).toEqual({ action: 'allow' })
    for (const empty of ['', ' \n']) {
      expect(() => wordList({ words: ['a', empty], action: 'mask' })).toThrow(
        expect.objectContaining({ code: 'config.invalid' }),
      )
    }
  })
})

describe('what becomes of the text', () => {
  test('the reason never repeats the word', () => {
    expect(input('Say xyzzy.', ['xyzzy'])).toEqual({ action: 'mask', text: 'Say •••.', reason: expect.any(String) })
    const verdict = input('Say xyzzy.', ['xyzzy'], 'block')
    expect(verdict).toEqual({ action: 'block', reason: expect.any(String) })
    expect(JSON.stringify(verdict)).not.toContain('xyzzy')
  })

  test('a reply is shown up to the word that blocks it, and nothing after', () => {
    const check = outputCheck(['xyzzy'], 'block')
    expect(check.push('Say xy')).toEqual({ action: 'allow', text: 'Say ' })
    expect(check.push('zzy')).toEqual({ action: 'allow', text: '' })
    expect(check.push('. And more')).toMatchObject({ action: 'block', text: '' })
    expect(check.push('still more')).toMatchObject({ action: 'block', text: '' })
    expect(check.end()).toMatchObject({ action: 'block', text: '' })
  })

  test('a word at the very end is found at the end', () => {
    expect(shown(outputCheck(['xyzzy']), ['xyz', 'zy'])).toMatchObject({ action: 'mask', text: '#' })
    expect(shown(outputCheck(['xyzzy'], 'block'), ['a xyzzy'])).toMatchObject({ action: 'block', text: 'a ' })
    expect(shown(outputCheck(['xyzzy']), ['a xyzz'])).toEqual({ action: 'allow', text: 'a xyzz' })
  })

  test('what no word begins with passes at once', () => {
    expect(outputCheck(['xyzzy']).push('Hello, all of you')).toEqual({ action: 'allow', text: 'Hello, all of you' })
  })

  test('checks of one policy know nothing of each other', () => {
    const policy = wordList({ words: ['xyzzy'], action: 'block' })
    const [one, other] = [policy.output('text', context), policy.output('reasoning', context)]
    one.push('xyz')
    expect(other.push('zy ')).toEqual({ action: 'allow', text: 'zy ' })
    expect(one.push('zy ')).toMatchObject({ action: 'block' })
  })
})

const letters = 'aaabbbc  ._-1é\u0301ßsﬁi🦄𝐚秘密ナー'
const text = fc.string({ unit: fc.constantFrom(...letters), maxLength: 40 })
const list = fc.array(
  fc.string({ unit: fc.constantFrom(...letters), minLength: 1, maxLength: 6 }).filter((word) => word.trim() !== ''),
  { minLength: 1, maxLength: 6 },
)

/** Cuts a text anywhere, also in the middle of a surrogate pair. */
function cut(text: string, places: readonly number[]): string[] {
  const cuts = [0, ...places.map((place) => place % (text.length + 1)), text.length].sort((a, b) => a - b)
  return cuts.slice(1).map((end, index) => text.slice(cuts[index], end))
}

test.each(['mask', 'block'] as const)('%s: how a text is cut changes nothing', (action) => {
  const property = fc.property(text, list, fc.array(fc.nat(100)), (whole, words, places) => {
    expect(shown(outputCheck(words, action), cut(whole, places))).toEqual(shown(outputCheck(words, action), [whole]))
  })
  fc.assert(property, { seed: 1, numRuns: 5000 })
})

test('no more characters are held back than the longest word has', () => {
  const property = fc.property(text, list, fc.array(fc.nat(100)), (whole, words, places) => {
    const check = wordList({ words, action: 'block' }).output('text', context)
    const longest = Math.max(...words.map((word) => [...word.trim().normalize('NFKD').toUpperCase()].length))
    let given = 0
    let released = 0
    for (const piece of cut(whole, places)) {
      const checked = check.push(piece)
      if (checked.action === 'block') return
      given += piece.length
      released += checked.text.length
      const held = whole.slice(released, given)
      const isCut = /[\ud800-\udbff]$/.test(held)
      expect([...held].length - (isCut ? 1 : 0)).toBeLessThanOrEqual(longest)
    }
  })
  fc.assert(property, { seed: 2, numRuns: 5000 })
})

test('agrees with a regular expression, where one can say it', () => {
  const plain = fc.string({ unit: fc.constantFrom(...'aaAbBc  ._-1'), maxLength: 40 })
  const plainWords = fc.array(
    fc.string({ unit: fc.constantFrom(...'aAbc 1.'), minLength: 1, maxLength: 4 }).filter((word) => word.trim() !== ''),
    { minLength: 1, maxLength: 5 },
  )
  const property = fc.property(plain, plainWords, (whole, words) => {
    const longestFirst = words.map((word) => word.trim()).sort((a, b) => b.length - a.length)
    const pattern = longestFirst.map((word) => word.replaceAll('.', '\\.')).map(bounded)
    expect(masked(whole, ...words)).toBe(whole.replaceAll(new RegExp(pattern.join('|'), 'gi'), '•••'))
  })
  fc.assert(property, { seed: 3, numRuns: 5000 })
})

function bounded(word: string): string {
  return `${/^\w/.test(word) ? '(?<!\\w)' : ''}${word}${/\w$/.test(word) ? '(?!\\w)' : ''}`
}
