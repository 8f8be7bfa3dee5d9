import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import type { ModelEvent, ModelRequest, ModelSettings } from '../provider.ts'
import type { WireNames } from '../wire-names.ts'
import type { WireSchema } from '../wire-schema.ts'
import type { Quirks } from './quirks.ts'

export type Warning = Extract<ModelEvent, { type: 'warning' }>

interface DemandContext {
  readonly names: WireNames
  readonly quirks: Quirks
  readonly wireSchema: WireSchema
  readonly warnings: Warning[]
}

/** What few requests ask for, each endpoint in its own words: a tool, a form of output, an amount of reasoning. */
export function addDemands(
  body: Record<string, JsonValue>,
  { settings, toolChoice, output }: ModelRequest,
  { names, quirks, wireSchema, warnings }: DemandContext,
): void {
  if (settings.reasoning !== undefined) addReasoning(body, settings.reasoning, quirks, warnings)
  if (toolChoice !== undefined && body.tools !== undefined) body.tool_choice = wireChoice(toolChoice, names)
  if (output !== undefined) body.response_format = responseFormat(output, quirks, wireSchema)
}

function wireChoice(choice: NonNullable<ModelRequest['toolChoice']>, names: WireNames): JsonValue {
  return typeof choice === 'string' ? choice : { type: 'function', function: { name: names.toWire(choice.name) } }
}

function responseFormat(
  output: NonNullable<ModelRequest['output']>,
  quirks: Quirks,
  wireSchema: WireSchema,
): JsonObject {
  if (quirks.output === 'json_object') return { type: 'json_object' }
  const name = output.name.replace(/[^a-zA-Z0-9_-]+/g, '_').slice(0, 64) || 'output'
  return { type: 'json_schema', json_schema: { name, schema: wireSchema(output.schema, output.name) } }
}

/** Efforts for endpoints that take no number of tokens. */
function effortOf(reasoning: NonNullable<ModelSettings['reasoning']>): string {
  if (typeof reasoning === 'string') return reasoning
  return reasoning.budgetTokens <= 4096 ? 'low' : reasoning.budgetTokens <= 16_384 ? 'medium' : 'high'
}

function addReasoning(
  body: Record<string, JsonValue>,
  reasoning: NonNullable<ModelSettings['reasoning']>,
  quirks: Quirks,
  warnings: Warning[],
): void {
  switch (quirks.reasoning) {
    case 'reasoning_effort':
      body.reasoning_effort = effortOf(reasoning)
      return
    case 'reasoning':
      body.reasoning = typeof reasoning === 'string' ? { effort: reasoning } : { max_tokens: reasoning.budgetTokens }
      return
    case 'enable_thinking':
      body.enable_thinking = reasoning !== 'none'
      if (typeof reasoning !== 'string') body.thinking_budget = reasoning.budgetTokens
      return
    case 'thinking':
      body.thinking = { type: reasoning === 'none' ? 'disabled' : 'enabled' }
      return
    case 'none':
      warnings.push({
        type: 'warning',
        code: 'provider.setting-ignored',
        message: 'The endpoint has no setting for the amount of reasoning',
      })
  }
}
