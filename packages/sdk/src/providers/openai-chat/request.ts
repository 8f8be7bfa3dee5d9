import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import type { ModelProvider, ModelRequest } from '../provider.ts'
import type { WireNames } from '../wire-names.ts'
import { type WireSchema, wireSchemas } from '../wire-schema.ts'
import type { Warning } from './demands.ts'
import { chatMessages } from './messages.ts'
import type { Quirks } from './quirks.ts'

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
  if (tools.length > 0) body.tools = tools
  if (settings.reasoning !== undefined || request.toolChoice !== undefined || output !== undefined) {
    const { addDemands } = await import('./demands.ts')
    addDemands(body, request, { names, quirks, wireSchema, warnings })
  }
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
