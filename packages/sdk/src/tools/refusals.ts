import { type ErrorCode, errorInfo, thrownText } from '../protocol/errors.ts'
import { isObject, type JsonValue } from '../protocol/json.ts'
import { nearestName } from './nearest-name.ts'
import type { InputIssue, Tool } from './tool.ts'
import { isEnabled, type ToolScope, type ToolSet } from './tool-set.ts'

/** What was found of a call that cannot run, as far as it got. */
export interface Findings {
  readonly tool: Tool | undefined
  readonly isOn: boolean
  /** The text of the input, where it had to be parsed. */
  readonly text: string
  /** Undefined: the text is no JSON. */
  readonly value: JsonValue | undefined
  readonly issues: readonly InputIssue[] | undefined
  /** What the parser or the check threw. */
  readonly error: unknown
}

const MAX_NAMES = 50
const MAX_ISSUES = 10
const MAX_EXCERPT = 200

/** A refusal as the model is told: what is wrong and what to change. Loaded for the first call that is refused. */
export function refusal(
  name: string,
  { tool: found, isOn, text, value, issues, error }: Findings,
  tools: ToolSet,
  scope: ToolScope,
): { readonly code: ErrorCode; readonly output: string } {
  const tool = quoted(name)
  if (found === undefined) {
    const nearest = nearestName(name, enabledNames(tools, scope))
    const hint = nearest === undefined ? '' : ` Did you mean ${quoted(nearest)}?`
    return { code: 'tool.unknown', output: `There is no tool ${tool}.${hint} ${availableText(tools, scope)}` }
  }
  if (!isOn) {
    return { code: 'tool.disabled', output: `The tool ${tool} cannot be used now. ${availableText(tools, scope)}` }
  }
  if (value === undefined) {
    return {
      code: 'tool.invalid-json',
      output: `The input of ${tool} is not valid JSON: ${thrownText(error)}. Received: ${excerpt(text)}\nCall it again with one JSON object.`,
    }
  }
  if (!isObject(value)) {
    return {
      code: 'tool.invalid-input',
      output: `The input of ${tool} must be a JSON object, not ${kindOf(value)}.`,
    }
  }
  if (issues !== undefined) return { code: 'tool.invalid-input', output: issuesText(tool, issues) }
  const { code } = errorInfo(error)
  return {
    code: code.startsWith('tool.') ? (code as ErrorCode) : 'tool.invalid-input',
    output: `The input of ${tool} could not be checked: ${thrownText(error)}`,
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
