import { type JsonObject, normalise } from '../../protocol/json.ts'
import { outputName } from '../output.ts'
import type { ModelRequest, ModelSettings } from '../provider.ts'
import { ignoredSetting } from '../warnings.ts'
import type { WireNames } from '../wire-names.ts'
import { type WireSchema, wireSchemas } from '../wire-schema.ts'
import { omittedTools, type Warning } from '../wire-tools.ts'
import type { CallOptions, ToolDeclaration } from './call-options.ts'
import type { Dialect } from './dialect.ts'
import { type PromptContext, promptOf } from './prompt.ts'
import { AI_SDK_API } from './provider-tool.ts'

export interface PreparedCall {
  readonly options: CallOptions
  readonly warnings: readonly Warning[]
}

export async function callOptions(request: ModelRequest, context: Omit<PromptContext, 'warn'>): Promise<PreparedCall> {
  const { names, dialect } = context
  const { settings, output, toolChoice } = request
  const warnings = omittedTools(request.tools, AI_SDK_API)
  const prompt = await promptOf(request, { ...context, warn: (warning) => warnings.push(warning) })
  const wireSchema = await wireSchemas(request)
  const tools = declared(request, { names, dialect, wireSchema })
  const amount = effortOf(settings.reasoning)
  if (amount !== undefined && !dialect.hasReasoning) {
    warnings.push(ignoredSetting('This model takes an amount of reasoning only in settings.extra, by its provider'))
  }
  const options: CallOptions = {
    prompt,
    ...(tools.length > 0 && { tools }),
    ...(tools.length > 0 && toolChoice !== undefined && { toolChoice: choice(toolChoice, names) }),
    ...(output && { responseFormat: responseFormat(output, wireSchema) }),
    ...(settings.maxOutputTokens !== undefined && { maxOutputTokens: settings.maxOutputTokens }),
    ...(settings.temperature !== undefined && { temperature: settings.temperature }),
    ...(settings.stop !== undefined && settings.stop.length > 0 && { stopSequences: [...settings.stop] }),
    ...(settings.seed !== undefined && { seed: settings.seed }),
    ...(amount !== undefined && dialect.hasReasoning && { reasoning: amount }),
    ...(settings.extra && { providerOptions: normalise(settings.extra) as JsonObject }),
  }
  return { options, warnings }
}

function declared(
  { tools }: ModelRequest,
  { names, dialect, wireSchema }: { names: WireNames; dialect: Dialect; wireSchema: WireSchema },
): ToolDeclaration[] {
  return tools.flatMap((tool): ToolDeclaration[] => {
    if (tool.type === 'function') {
      const { name, description, inputSchema } = tool
      return [{ type: 'function', name: names.toWire(name), description, inputSchema: wireSchema(inputSchema, name) }]
    }
    if (tool.api !== AI_SDK_API) return []
    const { id, args } = tool.config as { readonly id: string; readonly args: JsonObject }
    return [{ type: dialect.providerTool, id, name: tool.name, args }]
  })
}

function choice(
  toolChoice: NonNullable<ModelRequest['toolChoice']>,
  names: WireNames,
): NonNullable<CallOptions['toolChoice']> {
  if (typeof toolChoice === 'string') return { type: toolChoice }
  return { type: 'tool', toolName: names.toWire(toolChoice.name) }
}

function responseFormat(output: NonNullable<ModelRequest['output']>, wireSchema: WireSchema) {
  const name = outputName(output)
  return { type: 'json', schema: wireSchema(output.schema, name), name } as const
}

/** The specification knows no budget. */
function effortOf(reasoning: ModelSettings['reasoning']): CallOptions['reasoning'] | undefined {
  if (typeof reasoning !== 'object') return reasoning
  if (reasoning.budgetTokens <= 4096) return 'low'
  return reasoning.budgetTokens <= 10_240 ? 'medium' : 'high'
}
