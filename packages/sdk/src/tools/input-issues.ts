import { pathText } from './path-text.ts'
import { pointerKeys } from './pointer.ts'
import type { StandardIssue } from './standard-schema.ts'
import type { InputIssue } from './tool.ts'

/** The issue of any Standard Schema library; what zod says beyond the standard is used where it is there. */
export function inputIssue(issue: StandardIssue): InputIssue {
  const { pointer, path = [] } = issue
  const keys =
    pointer === undefined
      ? path.map((segment) => (typeof segment === 'object' ? segment.key : segment))
      : pointerKeys(pointer).map((key) => (/^\d+$/.test(key) ? Number(key) : key))
  return { path: pathText(keys), message: messageOf(issue) }
}

/** zod/mini without a locale says nothing but this, so the facts in the issue have to speak. */
const ZOD_SAYS_NOTHING = 'Invalid input'

interface ZodIssue extends StandardIssue {
  readonly code?: string
  readonly expected?: string
  readonly values?: readonly unknown[]
  readonly minimum?: unknown
  readonly maximum?: unknown
  readonly divisor?: unknown
  readonly format?: string
  readonly keys?: readonly string[]
  readonly options?: readonly unknown[]
  /** Of a union: the issues of each branch. */
  readonly errors?: readonly (readonly ZodIssue[])[]
}

function messageOf(issue: ZodIssue): string {
  if (issue.code === 'invalid_union' && issue.errors !== undefined && issue.errors.length > 0) {
    return `No form of the union fits: ${issue.errors.map(branchText).join(', or ')}`
  }
  if (issue.message !== ZOD_SAYS_NOTHING) return issue.message
  const facts = factsOf(issue)
  return facts === undefined ? issue.message : `${issue.message}: ${facts}`
}

function factsOf(issue: ZodIssue): string | undefined {
  if (issue.expected !== undefined) return `expected ${issue.expected}`
  const choices = issue.values ?? issue.options
  if (choices !== undefined)
    return `expected one of ${choices.map((value) => JSON.stringify(value) ?? String(value)).join(', ')}`
  if (issue.minimum !== undefined) return `expected at least ${issue.minimum}`
  if (issue.maximum !== undefined) return `expected at most ${issue.maximum}`
  if (issue.divisor !== undefined) return `expected a multiple of ${issue.divisor}`
  if (issue.format !== undefined) return `expected the format ${issue.format}`
  if (issue.keys !== undefined) return `unknown key ${issue.keys.map((key) => JSON.stringify(key)).join(', ')}`
  return undefined
}

function branchText(issues: readonly ZodIssue[]): string {
  return issues
    .map((issue) => {
      const { path, message } = inputIssue(issue)
      return path === '' ? message : `${path}: ${message}`
    })
    .join('; ')
}
