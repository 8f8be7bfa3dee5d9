import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escapeWildcard, matchesSegments, matchesWildcard, readSegments, readWildcard } from './wildcard.ts'

const text = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 })

test('a star stands for any characters, as in a regular expression', () => {
  const property = fc.property(text, text, (pattern, said) => {
    const expected = new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(said)
    expect(matchesWildcard(readWildcard(pattern), said)).toBe(expected)
  })
  fc.assert(property, { seed: 1, numRuns: 2000 })
})

test('an escaped text is itself alone', () => {
  const odd = fc.string({ unit: fc.constantFrom('a', '*', '\\'), maxLength: 6 })
  const property = fc.property(odd, odd, (one, other) => {
    expect(matchesWildcard(readWildcard(escapeWildcard(one)), other)).toBe(one === other)
  })
  fc.assert(property, { seed: 2, numRuns: 1000 })
})

test('two stars stand for any folders, at the end for at least one name', () => {
  const segment = fc.constantFrom('a', 'b', 'c')
  const pattern = fc.array(fc.oneof(segment, fc.constantFrom('**', '*')), { maxLength: 5 })
  const property = fc.property(pattern, fc.array(segment, { maxLength: 6 }), (parts, path) => {
    const source = parts.map((part, i) =>
      part !== '**' ? `/${part.replace('*', '[^/]*')}` : i < parts.length - 1 ? '(/[^/]+)*' : '(/[^/]+)+',
    )
    const said = path.map((name) => `/${name}`).join('')
    expect(matchesSegments(readSegments(parts), path)).toBe(new RegExp(`^${source.join('')}$`).test(said))
    const orItself = new RegExp(`^${source.join('').replace(/\+$/, '*')}$`).test(said)
    expect(matchesSegments(readSegments(parts), path, true)).toBe(
      parts.at(-1) === '**' ? orItself : matchesSegments(readSegments(parts), path),
    )
  })
  fc.assert(property, { seed: 3, numRuns: 3000 })
})
