import { type ErrorCode, errorInfo, thrownText } from '../protocol/errors.ts'
import { type JsonObject, type JsonValue, normalise } from '../protocol/json.ts'
import type { ToolResult } from '../protocol/messages.ts'
import { isObject } from './json-schema.ts'
import { nearestName } from './nearest-name.ts'
import type { InputIssue, Tool } from './tool.ts'
import { isEnabled, type ToolScope, type ToolSet } from './tool-set.ts'

/** A call as the model made it. `inputText` is used where `input` is absent; no text at all means `{}`. */
export interface RequestedCall {
  readonly callId: string
  readonly toolName: string
  readonly input?: JsonValue
  readonly inputText?: string
}

export type PreparedCall =
  | {
      readonly ok: true
      readonly tool: Tool
      /** What `execute` gets: validated, with the schema's defaults and transforms applied. */
      readonly input: unknown
      /** What the model sent, as plain JSON: for events, rules and people. */
      readonly sent: JsonObject
    }
  | { readonly ok: false; readonly result: ToolResult }

const MAX_NAMES = 50
const MAX_ISSUES = 10
const MAX_EXCERPT = 200

/**
 * Checks a call before anyone is asked about it or it runs. Never rejects: what is wrong becomes the call's result, which
 * tells the model what to change. Nothing is coerced: "5" is no number.
 */
export async function prepareCall(tools: ToolSet, call: RequestedCall, scope: ToolScope): Promise<PreparedCall> {
  const refuse = (code: ErrorCode, output: string): PreparedCall => ({
    ok: false,
    result: { callId: call.callId, toolName: call.toolName, outcome: 'error', code, output, durationMs: 0 },
  })

  const tool = tools.get(call.toolName)
  if (tool === undefined) return refuse('tool.unknown', unknownText(tools, call.toolName, scope))
  if (!isEnabled(tool, scope)) {
    return refuse('tool.disabled', `The tool ${quoted(tool.name)} cannot be used now. ${availableText(tools, scope)}`)
  }

  const parsed = parseInput(call)
  if ('problem' in parsed) return refuse('tool.invalid-json', `The input of ${quoted(tool.name)} ${parsed.problem}`)
  if (!isObject(parsed.value)) {
    return refuse(
      'tool.invalid-input',
      `The input of ${quoted(tool.name)} must be a JSON object, not ${kindOf(parsed.value)}.`,
    )
  }

  const sent = normalise(parsed.value) as JsonObject
  try {
    const checked = await tool.input.validate(sent)
    return checked.ok
      ? { ok: true, tool, input: checked.value, sent }
      : refuse('tool.invalid-input', issuesText(tool.name, checked.issues))
  } catch (error) {
    const { code } = errorInfo(error)
    const text = `The input of ${quoted(tool.name)} could not be checked: ${thrownText(error)}`
    return refuse(code.startsWith('tool.') ? (code as ErrorCode) : 'tool.invalid-input', text)
  }
}

function parseInput(call: RequestedCall): { readonly value: JsonValue } | { readonly problem: string } {
  if (call.input !== undefined) return { value: call.input }
  const text = call.inputText ?? ''
  if (text.trim() === '') return { value: {} }
  try {
    return { value: JSON.parse(text) as JsonValue }
  } catch (error) {
    const excerpt = text.length > MAX_EXCERPT ? `${text.slice(0, MAX_EXCERPT).toWellFormed()}…` : text
    return {
      problem: `is not valid JSON: ${thrownText(error)}. Received: ${excerpt}\nCall it again with one JSON object.`,
    }
  }
}

function unknownText(tools: ToolSet, name: string, scope: ToolScope): string {
  const nearest = nearestName(name, enabledNames(tools, scope))
  const hint = nearest === undefined ? '' : ` Did you mean ${quoted(nearest)}?`
  return `There is no tool ${quoted(name)}.${hint} ${availableText(tools, scope)}`
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

function issuesText(toolName: string, issues: readonly InputIssue[]): string {
  const lines = issues
    .slice(0, MAX_ISSUES)
    .map(({ path, message }) => `- ${path === '' ? '(the whole input)' : path}: ${message}`)
  if (issues.length > MAX_ISSUES) lines.push(`- and ${issues.length - MAX_ISSUES} more`)
  return [
    `The input of ${quoted(toolName)} does not fit its schema:`,
    ...lines,
    'Call it again with a corrected input.',
  ].join('\n')
}

function quoted(name: string): string {
  return `"${name.length > MAX_EXCERPT ? `${name.slice(0, MAX_EXCERPT).toWellFormed()}…` : name}"`
}

function kindOf(value: JsonValue): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`
}
