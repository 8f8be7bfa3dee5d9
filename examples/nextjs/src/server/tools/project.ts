import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { ToolError } from '@stepwell/sdk'
import { dataFile } from '../data.ts'

/** The project of every session: its own copy, from the first edit on. */
const FILES: Readonly<Record<string, string>> = {
  'README.md': `# shop

A cart, and what it costs. \`src/cart.ts\` has the sums, \`src/cart.test.ts\` checks them.
`,
  'src/cart.ts': `export interface Item {
  readonly name: string
  /** Cents. */
  readonly price: number
  readonly count: number
}

/** What a cart costs, in cents. \`discount\` is a percentage. */
export function total(items: readonly Item[], discount = 0): number {
  const sum = items.reduce((all, item) => all + item.price, 0)
  return Math.round(sum * (1 - discount / 100))
}
`,
  'src/cart.test.ts': `import { expect, test } from 'vitest'
import { total } from './cart.ts'

const tea = { name: 'Tea', price: 450, count: 2 }

test('an empty cart costs nothing', () => expect(total([])).toBe(0))
test('one of each', () => expect(total([{ ...tea, count: 1 }])).toBe(450))
test('two of one', () => expect(total([tea])).toBe(900))
test('ten percent off', () => expect(total([{ ...tea, count: 1 }], 10)).toBe(405))
`,
}

const PATHS = Object.keys(FILES)

/** Throws `tool.failed` for a path the project does not have. */
export function readText(sessionId: string, path: string): string {
  const own = copies(sessionId)[path] ?? FILES[path]
  if (own === undefined || !PATHS.includes(path)) {
    throw new ToolError('tool.failed', `There is no ${path}. The files are ${PATHS.join(', ')}.`)
  }
  return own
}

export function writeText(sessionId: string, path: string, text: string): void {
  writeFileSync(fileOf(sessionId), JSON.stringify({ ...copies(sessionId), [path]: text }))
}

function copies(sessionId: string): Readonly<Record<string, string>> {
  const file = fileOf(sessionId)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
}

/** Ids of sessions come from clients: their hash is a safe name. */
function fileOf(sessionId: string): string {
  return dataFile('projects', `${createHash('sha256').update(sessionId).digest('hex')}.json`)
}
