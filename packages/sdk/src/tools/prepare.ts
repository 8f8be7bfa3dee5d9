import { isObject, type JsonObject, type JsonValue, normalise } from '../protocol/json.ts'
import type { ToolResult } from '../protocol/messages.ts'
import { rare } from './late.ts'
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

/**
 * Checks a call before anyone is asked about it or it runs. Never rejects: what is wrong becomes the call's result, which
 * tells the model what to change. Nothing is coerced: "5" is no number.
 */
export async function prepareCall(tools: ToolSet, call: RequestedCall, scope: ToolScope): Promise<PreparedCall> {
  const { callId, toolName } = call
  const tool = tools.get(toolName)
  const isOn = tool !== undefined && isEnabled(tool, scope)
  const text = call.inputText?.trim() ? call.inputText : '{}'
  let value: JsonValue | undefined
  let issues: readonly InputIssue[] | undefined
  let error: unknown
  try {
    value = call.input === undefined ? (JSON.parse(text) as JsonValue) : call.input
    if (isOn && isObject(value)) {
      const sent = normalise(value) as JsonObject
      // A schema may hand on what it was given, and a tool may change that: what the model sent stays as it was.
      const checked = await tool.input.validate(JSON.parse(JSON.stringify(sent)))
      if (checked.ok) return { ok: true, tool, input: checked.value, sent }
      issues = checked.issues
    }
  } catch (thrown) {
    error = thrown
  }
  const { code, output } = await rare().then(
    ({ refusal }) => refusal(toolName, { tool, isOn, text, value, issues, error }, tools, scope),
    () => ({ code: 'tool.failed', output: 'This call could not be used. Check the name of the tool and its input.' }),
  )
  return { ok: false, result: { callId, toolName, outcome: 'error', code, output, durationMs: 0 } }
}
