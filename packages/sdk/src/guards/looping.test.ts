import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LoopDetector } from './looping.ts'

/** How many units of a text were read when it was found to loop. */
function readUntilLoop(text: string, deltas: Iterable<number> = endless(5)): number | undefined {
  const detector = new LoopDetector()
  let read = 0
  for (const length of deltas) {
    if (read >= text.length) return undefined
    const end = read + length
    if (detector.push(text.slice(read, end))) return Math.min(end, text.length)
    read = end
  }
  return undefined
}

function* endless(length: number): Generator<number> {
  for (;;) yield length
}

/** Deltas of changing lengths from 1 to 40. */
function* varied(seed: number): Generator<number> {
  for (let state = seed; ; state = (state * 1103515245 + 12345) % 2147483648) yield 1 + ((state >> 8) % 40)
}

const repeat = (text: string, length: number): string => text.repeat(Math.ceil(length / text.length)).slice(0, length)

const prose = fc.string({ unit: fc.constantFrom(...'abc defghijklmnoprstuvwy, .\n'), minLength: 1, maxLength: 500 })

test('what repeats from 1 to 500 units is found within 6,000 + 1,024 and the delta', () => {
  const property = fc.property(prose, prose, fc.nat(9_999), fc.nat(), (unit, before, lead, seed) => {
    const start = before + counted(lead)
    const read = readUntilLoop(start + unit.repeat(Math.ceil(8_000 / unit.length)), varied(seed))
    expect(read).toBeDefined()
    expect((read as number) - start.length).toBeLessThanOrEqual(6_000 + 1_024 + 40)
  })
  fc.assert(property, { seed: 1, numRuns: 300 })
})

/** Text that does not repeat. */
function counted(length: number): string {
  let text = ''
  for (let i = 0; text.length < length; i++) text += `${i} `
  return text.slice(0, length)
}

test.each([1, 2, 3, 7, 64, 333, 500, 777, 999, 1_000])('a period of exactly %i is found', (period) => {
  const unit = counted(period * 3).slice(-period)
  expect(readUntilLoop(`Sure. ${unit.repeat(Math.ceil(8_000 / period))}`)).toBeLessThan(6_000 + 1_024 + 20)
})

test('a unit that almost repeats within itself is found by its own length', () => {
  for (const unit of [`${'a'.repeat(499)}b`, `${'ab'.repeat(300)}c`, `${'a'.repeat(999)}\n`]) {
    expect(readUntilLoop(unit.repeat(20))).toBeLessThanOrEqual(6_000 + 1_024 + 5)
  }
})

test('thoughts, text and emoji are all the same to it, and so is how they come in', () => {
  const text = 'Wait, let me think again. 🤔 '.repeat(400)
  for (const length of [1, 13, 999, 1_024, 5_000]) expect(readUntilLoop(text, endless(length))).toBeDefined()
  expect(readUntilLoop(text, [text.length])).toBe(text.length)
})

test('less than 6,000 units of repetition are left alone, whatever they are', () => {
  for (const unit of ['0', '0, ', '\n', '- \n', 'I will not talk in class.\n', 'A', '─', '| a | b |\n', 'ha']) {
    expect(readUntilLoop(`${counted(3_000)}${repeat(unit, 5_999)}END${repeat(unit, 5_999)}`)).toBeUndefined()
  }
})

test('a repetition that is over is not held against the reply', () => {
  const detector = new LoopDetector()
  detector.push(repeat('=', 5_000))
  expect(detector.push(`${repeat('=', 2_000)}\nDone.\n`)).toBe(false)
})

const word = fc.string({ unit: fc.constantFrom(...'abcdefghijklmnoprstuvwyz'), minLength: 1, maxLength: 9 })
const sentence = fc.array(word, { minLength: 2, maxLength: 12 }).map((words) => `${words.join(' ')}.`)
const few = (...units: readonly string[]) => fc.constantFrom(...units)

/** Texts of some 10,000 to 60,000 units, as repetitive as such texts may be. */
const innocent: Record<string, fc.Arbitrary<string>> = {
  'numbered lists of nearly the same line': fc
    .tuple(sentence, fc.integer({ min: 400, max: 2_000 }))
    .map(([line, count]) => Array.from({ length: count }, (_, i) => `${i + 1}. ${line}`).join('\n')),
  'bullets drawn from few': fc
    .tuple(fc.array(sentence, { minLength: 2, maxLength: 4 }), fc.array(fc.nat(3), { minLength: 600, maxLength: 900 }))
    .filter(([lines, picks]) => new Set(picks.slice(0, 20).map((pick) => lines[pick % lines.length])).size > 1)
    .map(([lines, picks]) => picks.map((pick) => `- ${lines[pick % lines.length]}`).join('\n')),
  tables: fc
    .array(fc.tuple(few('yes', 'no', 'n/a'), few('0', '1'), fc.nat(9)), { minLength: 600, maxLength: 900 })
    .map((rows) => rows.map((row) => `| ${row.map((cell) => String(cell).padEnd(20)).join(' | ')} |`).join('\n')),
  CSV: fc
    .array(fc.tuple(fc.nat(3), fc.nat(2), few('', 'x')), { minLength: 2_000, maxLength: 4_000 })
    .map((rows) => `a,b,c\n${rows.map((row) => row.join(',')).join('\n')}`),
  'columns of numbers': fc
    .array(few('0.00', '1.00'), { minLength: 3_000, maxLength: 5_000 })
    .map((numbers) => numbers.join('\n')),
  'JSON arrays': fc
    .array(fc.record({ id: fc.nat(), name: word, active: fc.boolean(), tags: fc.constant(['a', 'b']) }), {
      minLength: 150,
      maxLength: 400,
    })
    .map((items) => JSON.stringify(items, null, 2)),
  code: fc
    .array(fc.tuple(word, few('return true', 'return false', 'break', 'throw new Error("not here")'), fc.nat(9)), {
      minLength: 200,
      maxLength: 400,
    })
    .map((cases) =>
      cases
        .map(([name, body, n]) => `    case '${name}':\n      if (n > ${n}) {\n        ${body}\n      }\n      break\n`)
        .join(''),
    ),
  'poems with a refrain': fc
    .tuple(
      fc.array(sentence, { minLength: 4, maxLength: 8 }),
      fc.array(fc.array(sentence, { minLength: 1, maxLength: 3 }), { minLength: 60, maxLength: 120 }),
    )
    .map(([refrain, stanzas]) => stanzas.map((stanza) => [...stanza, ...refrain].join('\n')).join('\n\n')),
  'sections between long rules': fc
    .array(sentence, { minLength: 50, maxLength: 150 })
    .map((titles) => titles.map((title) => `${'='.repeat(120)}\n${title}\n${'-'.repeat(120)}\n`).join('\n')),
  'base64 with long zeros': fc
    .array(fc.tuple(fc.base64String({ minLength: 4 }), fc.integer({ min: 0, max: 5_900 })), {
      minLength: 5,
      maxLength: 15,
    })
    .map((pieces) => pieces.map(([data, zeros]) => `${data}${'A'.repeat(zeros)}`).join('BC')),
  'an identity matrix': fc
    .integer({ min: 50, max: 140 })
    .map((n) =>
      Array.from({ length: n }, (_, row) =>
        Array.from({ length: n }, (_, col) => (row === col ? 1 : 0)).join(', '),
      ).join('\n'),
    ),
}

test.each(Object.entries(innocent))('%s never trip it', (_name, texts) => {
  const property = fc.property(texts, fc.nat(), (text, seed) => {
    expect(readUntilLoop(text, varied(seed))).toBeUndefined()
  })
  fc.assert(property, { seed: 2, numRuns: 30 })
})

test('agrees with a plain reading of what looping means', () => {
  const unit = fc.string({ unit: few('a', 'b'), minLength: 1, maxLength: 1_100 })
  const pieces = fc.array(fc.tuple(unit, fc.integer({ min: 1, max: 9_000 })), { minLength: 1, maxLength: 3 })
  const property = fc.property(pieces, (parts) => {
    const text = parts.map(([each, length]) => repeat(each, length)).join('')
    const detector = new LoopDetector()
    for (let end = 1_024; end <= text.length; end += 1_024) {
      expect(detector.push(text.slice(end - 1_024, end))).toBe(loops(text.slice(0, end)))
    }
  })
  fc.assert(property, { seed: 3, numRuns: 60 })
})

function loops(text: string): boolean {
  if (text.length < 6_000) return false
  const tail = text.slice(-6_000)
  for (let period = 1; period <= 1_000; period++) if (tail.startsWith(tail.slice(period))) return true
  return false
}
