import { type JsonObject, normalise, normaliseText } from '../../protocol/json.ts'
import { isBlank } from '../history.ts'
import type { PreparedRequest } from '../http-provider.ts'
import type { ModelRequest } from '../provider.ts'
import { wireSchemas } from '../wire-schema.ts'
import { omittedTools, wireTools } from '../wire-tools.ts'
import { type ChatContext, chatMessages } from './messages.ts'

/** The body of one request. A field goes out only if the endpoint is known to take it or the caller asked for it. */
export async function chatRequest(request: ModelRequest, context: ChatContext): Promise<PreparedRequest> {
  const { target, names, quirks } = context
  const { settings, toolChoice, output } = request
  const messages = await chatMessages(request, context)
  const wireSchema = await wireSchemas(request)
  const tools = wireTools(request.tools, target.api, ({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name: names.toWire(name), description, parameters: wireSchema(inputSchema, name) },
  }))
  // What is undefined does not go out.
  const fields: Record<string, unknown> = {
    model: target.model,
    stream: true,
    stream_options: quirks.streamUsage ? { include_usage: true } : undefined,
    [quirks.maxTokensField]: settings.maxOutputTokens,
    temperature: settings.temperature,
    stop: settings.stop?.length ? settings.stop : undefined,
    [quirks.seedField]: settings.seed,
    tools: tools.length > 0 ? tools : undefined,
    prompt_cache_key: quirks.cacheKey ? request.cacheKey : undefined,
  }
  const instructions = [request.instructions ?? '']
  const warnings = omittedTools(request.tools, target.api)
  if (settings.reasoning !== undefined || toolChoice !== undefined || output !== undefined) {
    const { chatDemands } = await import('./demands.ts')
    const demands = chatDemands(request, { names, quirks, wireSchema, hasTools: tools.length > 0 })
    Object.assign(fields, demands.fields)
    instructions.push(...demands.instructions)
    warnings.push(...demands.warnings)
  }
  const system = normaliseText(instructions.filter((text) => !isBlank(text)).join('\n\n'))
  const body: JsonObject = {
    messages: system === '' ? messages : [{ role: quirks.systemRole, content: system }, ...messages],
    ...(normalise({ ...fields, ...settings.extra }) as JsonObject),
  }
  return { body, warnings }
}
