import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import type { ModelEvent, ModelProvider, ModelRequest, ModelSettings } from '../provider.ts'
import type { WireNames } from '../wire-names.ts'
import { type WireSchema, wireSchemas } from '../wire-schema.ts'
import { chatMessages } from './messages.ts'
import type { Quirks } from './quirks.ts'

type Warning = Extract<ModelEvent, { type: 'warning' }>

export interface ChatRequest {
  readonly body: JsonObject
  /** What was asked for and cannot be said to this endpoint. */
  readonly warnings: readonly Warning[]
}

/** The body of one request. A field goes out only if the endpoint is known to take it or the caller asked for it. */
export async function chatRequest(
  request: ModelRequest,
  target: Pick<ModelProvider, 'id' | 'model' | 'api'>,
  names: WireNames,
  quirks: Quirks,
): Promise<ChatRequest> {
  const warnings: Warning[] = []
  const { settings, output } = request
  const instructions = instructionsOf(request, quirks)
  const history = await chatMessages(request.messages, { target, names, quirks, bytes: (ref) => request.bytes(ref) })
  const wireSchema = await wireSchemas(request)
  const tools = wireTools(request, target, { names, wireSchema, warnings })
  const body: Record<string, JsonValue> = {
    model: target.model,
    messages: instructions === '' ? history : [{ role: quirks.systemRole, content: instructions }, ...history],
    stream: true,
  }
  if (quirks.streamUsage) body.stream_options = { include_usage: true }
  if (settings.maxOutputTokens !== undefined) body[quirks.maxTokensField] = settings.maxOutputTokens
  if (settings.temperature !== undefined) body.temperature = settings.temperature
  if (settings.stop !== undefined && settings.stop.length > 0) body.stop = settings.stop
  if (settings.seed !== undefined) body[quirks.seedField] = settings.seed
  if (settings.reasoning !== undefined) addReasoning(body, settings.reasoning, quirks, warnings)
  if (tools.length > 0) {
    body.tools = tools
    if (request.toolChoice !== undefined) body.tool_choice = wireChoice(request.toolChoice, names)
  }
  if (output !== undefined) body.response_format = responseFormat(output, quirks, wireSchema)
  if (quirks.cacheKey && request.cacheKey !== undefined) body.prompt_cache_key = request.cacheKey
  return { body: { ...body, ...settings.extra }, warnings }
}

function instructionsOf({ instructions = '', output }: ModelRequest, quirks: Quirks): string {
  if (output === undefined || quirks.output === 'json_schema') return instructions.trim() === '' ? '' : instructions
  return `${instructions}\n\nAnswer with one JSON object of this JSON Schema and nothing else:\n${JSON.stringify(output.schema)}`.trim()
}

function wireTools(
  request: ModelRequest,
  target: Pick<ModelProvider, 'api'>,
  {
    names,
    wireSchema,
    warnings,
  }: { readonly names: WireNames; readonly wireSchema: WireSchema; readonly warnings: Warning[] },
): JsonObject[] {
  const tools: JsonObject[] = []
  for (const tool of request.tools) {
    if (tool.type === 'function') {
      const parameters = wireSchema(tool.inputSchema, tool.name)
      tools.push({
        type: 'function',
        function: { name: names.toWire(tool.name), description: tool.description, parameters },
      })
    } else if (tool.api === target.api) {
      tools.push(tool.config)
    } else {
      warnings.push({
        type: 'warning',
        code: 'provider.tool-omitted',
        message: `The tool ${tool.name} runs at ${tool.api} and was not offered to ${target.api}`,
      })
    }
  }
  return tools
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
