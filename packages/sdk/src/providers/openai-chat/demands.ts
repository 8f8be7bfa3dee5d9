import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import { isStrict, outputInstruction, outputName } from '../output.ts'
import type { ModelRequest, ModelSettings } from '../provider.ts'
import { ignoredSetting } from '../warnings.ts'
import type { WireNames } from '../wire-names.ts'
import type { WireSchema } from '../wire-schema.ts'
import type { Warning } from '../wire-tools.ts'
import type { Quirks } from './quirks.ts'

interface DemandContext {
  readonly names: WireNames
  readonly quirks: Quirks
  readonly wireSchema: WireSchema
  readonly hasTools: boolean
}

interface Demands {
  readonly fields: JsonObject
  /** For what the endpoint has no field. */
  readonly instructions: readonly string[]
  readonly warnings: readonly Warning[]
}

type Reasoning = NonNullable<ModelSettings['reasoning']>
type Output = NonNullable<ModelRequest['output']>

/** What few requests ask for, each endpoint in its own words: a tool, a form of output, an amount of reasoning. */
export function chatDemands(
  { settings: { reasoning }, toolChoice, output }: ModelRequest,
  { names, quirks, wireSchema, hasTools }: DemandContext,
): Demands {
  const format = output && outputFormat(output, quirks, wireSchema)
  const amount = reasoning && reasoningFields(reasoning, quirks)
  return {
    fields: {
      ...amount,
      ...(toolChoice !== undefined && hasTools && { tool_choice: wireChoice(toolChoice, names) }),
      ...(format && { response_format: format }),
    },
    instructions: output && format?.type !== 'json_schema' ? [outputInstruction(output.schema)] : [],
    warnings:
      reasoning !== undefined && amount === undefined
        ? [ignoredSetting('The endpoint has no setting for the amount of reasoning')]
        : [],
  }
}

function wireChoice(choice: NonNullable<ModelRequest['toolChoice']>, names: WireNames): JsonValue {
  return typeof choice === 'string' ? choice : { type: 'function', function: { name: names.toWire(choice.name) } }
}

function outputFormat(output: Output, quirks: Quirks, wireSchema: WireSchema): JsonObject | undefined {
  if (quirks.output === 'none') return undefined
  if (quirks.output === 'json_object') return { type: 'json_object' }
  const name = outputName(output)
  const schema = wireSchema(output.schema, name)
  return { type: 'json_schema', json_schema: { name, schema, ...(isStrict(schema) && { strict: true }) } }
}

/** Undefined where the endpoint has no field for it. */
function reasoningFields(reasoning: Reasoning, quirks: Quirks): JsonObject | undefined {
  switch (quirks.reasoning) {
    case 'reasoning_effort':
      return { reasoning_effort: effortOf(reasoning) }
    case 'reasoning':
      return {
        reasoning: typeof reasoning === 'string' ? { effort: reasoning } : { max_tokens: reasoning.budgetTokens },
      }
    case 'enable_thinking':
      return {
        enable_thinking: reasoning !== 'none',
        ...(typeof reasoning !== 'string' && { thinking_budget: reasoning.budgetTokens }),
      }
    case 'thinking':
      return { thinking: { type: reasoning === 'none' ? 'disabled' : 'enabled' } }
    case 'none':
      return undefined
  }
}

/** Efforts for endpoints that take no number of tokens. */
function effortOf(reasoning: Reasoning): string {
  if (typeof reasoning === 'string') return reasoning
  return reasoning.budgetTokens <= 4096 ? 'low' : reasoning.budgetTokens <= 16_384 ? 'medium' : 'high'
}
