/**
 * One rule of a contract. The suites need no test framework, so that they run wherever an implementation lives:
 *
 *     for (const { name, run } of storeConformance({ name: 'mine', open })) it(name, run)
 *
 * with `it` of vitest, jest, mocha, `node:test` or Deno.
 */
export interface ConformanceCase {
  readonly name: string
  /** Rejects with a `ConformanceError` when the implementation breaks the rule. */
  run(): Promise<void>
}

export class ConformanceError extends Error {
  override readonly name = 'ConformanceError'
  readonly actual: unknown
  readonly expected: unknown

  constructor(rule: string, actual: unknown, expected: unknown) {
    super(`${rule}\n  expected ${excerpt(expected)}\n  but got  ${excerpt(actual)}`)
    this.actual = actual
    this.expected = expected
  }
}

/** Plain data, compared as data: whatever the order of keys, prototypes or frozenness. */
export function expectSame(actual: unknown, expected: unknown, rule: string): void {
  if (!sameData(actual, expected)) throw new ConformanceError(rule, actual, expected)
}

export async function expectCode(action: () => unknown, code: string, rule: string): Promise<void> {
  let outcome: unknown
  try {
    outcome = await action()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === code) return
    throw new ConformanceError(rule, error, `an error with code ${code}`)
  }
  throw new ConformanceError(rule, outcome, `an error with code ${code}`)
}

function sameData(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>]
  return keys.every((key) => Object.hasOwn(right, key) && sameData(left[key], right[key]))
}

function excerpt(value: unknown): string {
  const text = value instanceof Error ? `${value.name}: ${value.message}` : (JSON.stringify(value) ?? String(value))
  return text.length > 500 ? `${text.slice(0, 500)}… (${text.length} characters)` : text
}
