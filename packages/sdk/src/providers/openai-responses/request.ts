import type { JsonObject } from '../../protocol/json.ts'
import type { ModelEvent, ModelProvider, ModelRequest, ModelSettings } from '../provider.ts'
import { CALL_IDS, wireIds } from '../wire-ids.ts'
import type { WireNames } from '../wire-names.ts'
import { type WireSchema, wireSchemas } from '../wire-schema.ts'
import { inputItems } from './input.ts'
import { isStrict } from './output.ts'
import { RESPONSES_API } from './provider-tools.ts'

type Provider = Pick<ModelProvider, 'id' | 'model' | 'api' | 'capabilities'>

/** The body of a Responses request. Nothing is kept at the provider: each request holds the whole conversation. */
export async function responsesBody(
  request: ModelRequest,
  { provider, names }: { provider: Provider; names: WireNames },
): Promise<JsonObject> {
  const { settings } = request
  const bytes: ModelRequest['bytes'] = (ref) => request.bytes(ref)
  const input = await inputItems(request.messages, { provider, names, bytes, idOf: wireIds(CALL_IDS) })
  const wireSchema = await wireSchemas(request)
  const tools = wireTools(request, names, wireSchema)
  const reasoning = wireReasoning(settings.reasoning)
  return {
    model: provider.model,
    stream: true,
    store: false,
    ...(seals(provider) && { include: ['reasoning.encrypted_content'] }),
    ...(request.instructions?.trim() && { instructions: request.instructions }),
    input,
    ...(tools.length > 0 && { tools, tool_choice: wireChoice(request, names) }),
    ...(request.output && { text: { format: wireFormat(request.output, wireSchema) } }),
    ...(reasoning && { reasoning }),
    ...(settings.temperature !== undefined && { temperature: settings.temperature }),
    ...(settings.maxOutputTokens !== undefined && { max_output_tokens: settings.maxOutputTokens }),
    ...(request.cacheKey !== undefined && { prompt_cache_key: request.cacheKey.slice(0, MAX_CACHE_KEY) }),
    ...settings.extra,
  }
}

/** What was asked for and this API has no field for. */
export function ignoredSettings({ stop, seed }: ModelSettings): ModelEvent[] {
  return Object.entries({ stop: stop?.length, seed })
    .filter(([, value]) => value !== undefined && value !== 0)
    .map(([name]) => ({
      type: 'warning',
      code: 'provider.setting-ignored',
      message: `The Responses API has no setting ${name}`,
    }))
}

/** Characters. */
const MAX_CACHE_KEY = 64
/** OpenAI's models that do not reason refuse to be asked for their sealed thoughts. */
const UNREASONING = /^(gpt-3|gpt-4|chatgpt|gpt-5(\.\d+)?-chat)/

function seals({ model, capabilities }: Provider): boolean {
  return capabilities.reasoning ?? !UNREASONING.test(model)
}

function wireTools({ tools }: ModelRequest, names: WireNames, wireSchema: WireSchema): JsonObject[] {
  return tools.flatMap((tool): JsonObject[] => {
    if (tool.type === 'provider') return tool.api === RESPONSES_API ? [tool.config] : []
    const { name, description, inputSchema } = tool
    // Left out, strict would be true here, and refuse most schemas.
    return [
      {
        type: 'function',
        name: names.toWire(name),
        description,
        parameters: wireSchema(inputSchema, name),
        strict: false,
      },
    ]
  })
}

function wireChoice({ toolChoice = 'auto' }: ModelRequest, names: WireNames): JsonObject | string {
  return typeof toolChoice === 'object' ? { type: 'function', name: names.toWire(toolChoice.name) } : toolChoice
}

function wireFormat({ name, schema }: NonNullable<ModelRequest['output']>, wireSchema: WireSchema): JsonObject {
  const wire = wireSchema(schema, name)
  const legal = name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'output'
  return { type: 'json_schema', name: legal, schema: wire, strict: isStrict(wire) }
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
