import { type ErrorCode, errorInfo, thrownText } from '../protocol/errors.ts'
import type { JsonValue } from '../protocol/json.ts'
import { nearestName } from './nearest-name.ts'
import type { InputIssue } from './tool.ts'
import { isEnabled, type ToolScope, type ToolSet } from './tool-set.ts'

/** Why a call cannot run. */
export type Refusal =
  | { readonly reason: 'unknown' | 'disabled' }
  | { readonly reason: 'no-json'; readonly text: string; readonly error: unknown }
  | { readonly reason: 'no-object'; readonly value: JsonValue }
  | { readonly reason: 'misfit'; readonly issues: readonly InputIssue[] }
  | { readonly reason: 'unchecked'; readonly error: unknown }

const MAX_NAMES = 50
const MAX_ISSUES = 10
const MAX_EXCERPT = 200

/** A refusal as the model is told: what is wrong and what to change. Loaded for the first call that is refused. */
export function refusalText(
  name: string,
  refusal: Refusal,
  tools: ToolSet,
  scope: ToolScope,
): { readonly code: ErrorCode; readonly output: string } {
  const tool = quoted(name)
  switch (refusal.reason) {
    case 'unknown': {
      const nearest = nearestName(name, enabledNames(tools, scope))
      const hint = nearest === undefined ? '' : ` Did you mean ${quoted(nearest)}?`
      return { code: 'tool.unknown', output: `There is no tool ${tool}.${hint} ${availableText(tools, scope)}` }
    }
    case 'disabled':
      return { code: 'tool.disabled', output: `The tool ${tool} cannot be used now. ${availableText(tools, scope)}` }
    case 'no-json':
      return {
        code: 'tool.invalid-json',
        output: `The input of ${tool} is not valid JSON: ${thrownText(refusal.error)}. Received: ${excerpt(refusal.text)}\nCall it again with one JSON object.`,
      }
    case 'no-object':
      return {
        code: 'tool.invalid-input',
        output: `The input of ${tool} must be a JSON object, not ${kindOf(refusal.value)}.`,
      }
    case 'misfit':
      return { code: 'tool.invalid-input', output: issuesText(tool, refusal.issues) }
    case 'unchecked': {
      const { code } = errorInfo(refusal.error)
      return {
        code: code.startsWith('tool.') ? (code as ErrorCode) : 'tool.invalid-input',
        output: `The input of ${tool} could not be checked: ${thrownText(refusal.error)}`,
      }
    }
  }
}

function availableText(tools: ToolSet, scope: ToolScope): string {
  const names = enabledNames(tools, scope)
  if (names.length === 0) return 'No tools are available.'
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : ''
  return `Available tools: ${names.slice(0, MAX_NAMES).join(', ')}${more}.`
}

function enabledNames(tools: ToolSet, scope: ToolScope): string[] {
  return [...tools.values()].filter((tool) => isEnabled(tool, scope)).map((tool) => tool.name)
}

function issuesText(tool: string, issues: readonly InputIssue[]): string {
  const lines = issues
    .slice(0, MAX_ISSUES)
    .map(({ path, message }) => `- ${path === '' ? '(the whole input)' : path}: ${message}`)
  if (issues.length > MAX_ISSUES) lines.push(`- and ${issues.length - MAX_ISSUES} more`)
  return [`The input of ${tool} does not fit its schema:`, ...lines, 'Call it again with a corrected input.'].join('\n')
}

function quoted(name: string): string {
  return `"${excerpt(name)}"`
}

function excerpt(text: string): string {
  return text.length > MAX_EXCERPT ? `${text.slice(0, MAX_EXCERPT).toWellFormed()}…` : text
}

function kindOf(value: JsonValue): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`
}
