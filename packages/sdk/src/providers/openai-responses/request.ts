import { type JsonObject, normalise } from '../../protocol/json.ts'
import { isBlank } from '../history.ts'
import type { PreparedRequest, Target } from '../http-provider.ts'
import { isStrict, outputName } from '../output.ts'
import type { ModelRequest, ModelSettings } from '../provider.ts'
import { ignoredSetting } from '../warnings.ts'
import type { WireNames } from '../wire-names.ts'
import { type WireSchema, wireSchemas } from '../wire-schema.ts'
import { omittedTools, type Warning, wireTools } from '../wire-tools.ts'
import { type InputContext, inputItems } from './input.ts'

/** A Responses request. Nothing is kept at the provider: each request holds the whole conversation. */
export async function responsesRequest(request: ModelRequest, context: InputContext): Promise<PreparedRequest> {
  const { target, names } = context
  const { settings, instructions, output, cacheKey } = request
  const input = await inputItems(request, context)
  const wireSchema = await wireSchemas(request)
  const tools = wireTools(request.tools, target.api, ({ name, description, inputSchema }) => ({
    type: 'function',
    name: names.toWire(name),
    description,
    parameters: wireSchema(inputSchema, name),
    // Left out, it would be true here, and refuse most schemas.
    strict: false,
  }))
  const reasoning = wireReasoning(settings.reasoning)
  const fields = {
    model: target.model,
    stream: true,
    store: false,
    ...(seals(target) && { include: ['reasoning.encrypted_content'] }),
    ...(instructions !== undefined && !isBlank(instructions) && { instructions }),
    ...(tools.length > 0 && { tools, tool_choice: wireChoice(request, names) }),
    ...(output && { text: { format: wireFormat(output, wireSchema) } }),
    ...(reasoning && { reasoning }),
    ...(settings.temperature !== undefined && { temperature: settings.temperature }),
    ...(settings.maxOutputTokens !== undefined && { max_output_tokens: settings.maxOutputTokens }),
    ...(cacheKey !== undefined && { prompt_cache_key: cacheKey.slice(0, MAX_CACHE_KEY) }),
    ...settings.extra,
  }
  return {
    body: { input, ...(normalise(fields) as JsonObject) },
    warnings: [...omittedTools(request.tools, target.api), ...ignoredSettings(settings)],
  }
}

function ignoredSettings({ stop = [], seed }: ModelSettings): Warning[] {
  const ignored = [...(stop.length > 0 ? ['stop'] : []), ...(seed === undefined ? [] : ['seed'])]
  return ignored.map((name) => ignoredSetting(`The Responses API has no setting ${name}`))
}

/** Characters. */
const MAX_CACHE_KEY = 64
/** OpenAI's models that do not reason refuse to be asked for their sealed thoughts. */
const UNREASONING = /^(gpt-3|gpt-4|chatgpt|gpt-5(\.\d+)?-chat)/

function seals({ model, capabilities }: Target): boolean {
  return capabilities.reasoning ?? !UNREASONING.test(model)
}

function wireChoice({ toolChoice = 'auto' }: ModelRequest, names: WireNames): JsonObject | string {
  return typeof toolChoice === 'object' ? { type: 'function', name: names.toWire(toolChoice.name) } : toolChoice
}

function wireFormat(output: NonNullable<ModelRequest['output']>, wireSchema: WireSchema): JsonObject {
  const name = outputName(output)
  const schema = wireSchema(output.schema, name)
  return { type: 'json_schema', name, schema, strict: isStrict(schema) }
}

function wireReasoning(reasoning: ModelSettings['reasoning']): JsonObject | undefined {
  if (reasoning === undefined) return undefined
  if (reasoning === 'none') return { effort: 'none' }
  return { effort: typeof reasoning === 'object' ? effortOf(reasoning.budgetTokens) : reasoning, summary: 'auto' }
}

/** This API knows no budget. */
function effortOf(budgetTokens: number): string {
  if (budgetTokens <= 4096) return 'low'
  return budgetTokens <= 10_240 ? 'medium' : 'high'
}
