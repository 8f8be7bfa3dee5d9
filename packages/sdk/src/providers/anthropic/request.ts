import type { JsonObject } from '../../protocol/json.ts'
import type { ToolCallPart } from '../../protocol/messages.ts'
import { isBlank } from '../history.ts'
import type { ModelEvent, ModelProvider, ModelRequest } from '../provider.ts'
import { CALL_IDS, wireIds } from '../wire-ids.ts'
import type { WireNames } from '../wire-names.ts'
import { type WireSchema, wireSchemas } from '../wire-schema.ts'
import type { Block } from './assistant.ts'
import { type WireMessage, wireMessages } from './messages.ts'
import { modelTraits } from './models.ts'
import { outputFormat, outputInstruction } from './output.ts'
import { ANTHROPIC_API } from './provider-tools.ts'
import { thinkingFor } from './thinking.ts'

/** How long the beginning of a request stays in Anthropic's cache. */
export type CacheSetting = '5m' | '1h' | false

type Provider = Pick<ModelProvider, 'id' | 'model' | 'api' | 'capabilities'>

interface MessagesRequest {
  readonly body: JsonObject
  /** What was asked for and this API, or this model, does not take. */
  readonly warnings: readonly ModelEvent[]
}

/** A Messages request for the history, the tools and the settings. */
export async function messagesRequest(
  request: ModelRequest,
  { provider, names, cache }: { provider: Provider; names: WireNames; cache: CacheSetting },
): Promise<MessagesRequest> {
  const { settings, toolChoice, output } = request
  const traits = modelTraits(provider.model)
  const maxTokens = settings.maxOutputTokens ?? provider.capabilities.maxOutputTokens ?? traits.maxTokens
  const messages = await wireMessages(request, { provider, names, idOf: wireIds(CALL_IDS) })
  const { thinking, effort } = thinkingFor(settings.reasoning, traits, {
    maxTokens,
    forcedTool: toolChoice === 'required' || typeof toolChoice === 'object',
    begunWithout: beginsWithoutThinking(messages),
  })
  // Thinking only goes with the default temperature.
  const thinks = thinking !== undefined && thinking.type !== 'disabled'
  const wireSchema = await wireSchemas(request)
  const schema = output && wireSchema(output.schema, output.name)
  const format = schema && traits.structuredOutput ? outputFormat(schema) : undefined
  const instructions = [request.instructions ?? '', schema && !format ? outputInstruction(schema) : '']
  const stops = settings.stop?.filter((stop) => !isBlank(stop)) ?? []
  const { system, tools, ...marked } = withBreakpoints(cache, {
    system: instructions.filter((text) => !isBlank(text)).map((text) => ({ type: 'text', text })),
    tools: wireTools(request, names, wireSchema),
    messages,
  })
  const body = {
    model: provider.model,
    max_tokens: maxTokens,
    stream: true,
    ...(system.length > 0 && { system }),
    messages: marked.messages,
    ...(tools.length > 0 && { tools, tool_choice: wireChoice(request, names) }),
    ...(thinking && { thinking }),
    ...((effort || format) && { output_config: { ...(effort && { effort }), ...(format && { format }) } }),
    ...(settings.temperature !== undefined && !thinks && { temperature: settings.temperature }),
    ...(stops.length > 0 && { stop_sequences: stops }),
    ...settings.extra,
  }
  const warnings: ModelEvent[] = []
  if (settings.seed !== undefined) warnings.push(ignored('The Messages API has no setting seed'))
  if (settings.temperature !== undefined && thinks)
    warnings.push(ignored('A model that thinks has a fixed temperature'))
  return { body, warnings }
}

function ignored(message: string): ModelEvent {
  return { type: 'warning', code: 'provider.setting-ignored', message }
}

function wireTools({ tools, messages }: ModelRequest, names: WireNames, wireSchema: WireSchema): JsonObject[] {
  const declared = tools.flatMap((tool): JsonObject[] => {
    if (tool.type === 'provider') return tool.api === ANTHROPIC_API ? [tool.config] : []
    const { name, description, inputSchema } = tool
    return [{ name: names.toWire(name), description, input_schema: wireSchema(inputSchema, name) }]
  })
  if (declared.length > 0) return declared
  // A history with calls is refused by some endpoints when no tool is declared.
  return [...calledNames(messages)].map((name) => ({ name: names.toWire(name), input_schema: { type: 'object' } }))
}

function wireChoice({ tools, toolChoice = 'auto' }: ModelRequest, names: WireNames): JsonObject {
  if (typeof toolChoice === 'object') return { type: 'tool', name: names.toWire(toolChoice.name) }
  if (!tools.some((tool) => tool.type === 'function' || tool.api === ANTHROPIC_API)) return { type: 'none' }
  return { type: toolChoice === 'required' ? 'any' : toolChoice }
}

function calledNames(messages: ModelRequest['messages']): Set<string> {
  const calls = messages.flatMap((message): ToolCallPart[] =>
    message.role === 'assistant' ? message.parts.filter((part) => part.type === 'tool-call') : [],
  )
  return new Set(calls.filter((call) => !call.executed && call.toolName !== '').map((call) => call.toolName))
}

/** Whether the request goes on with a turn of tools that has no thought at its beginning. */
function beginsWithoutThinking(messages: readonly WireMessage[]): boolean {
  const [reply, results] = messages.slice(-2)
  if (reply?.role !== 'assistant' || results?.content[0]?.type !== 'tool_result') return false
  return reply.content[0]?.type !== 'thinking' && reply.content[0]?.type !== 'redacted_thinking'
}

interface Cacheable {
  readonly system: readonly Block[]
  readonly tools: readonly JsonObject[]
  readonly messages: readonly WireMessage[]
}

/**
 * The four breakpoints there are: after the tools, after the instructions, after the newest user message, and after the
 * one before it, where the previous request left its copy. Replies are sent back unmarked, as they came.
 */
function withBreakpoints(cache: CacheSetting, request: Cacheable): Cacheable {
  if (cache === false) return request
  const { system, tools, messages } = request
  const cache_control = { type: 'ephemeral', ...(cache === '1h' && { ttl: cache }) }
  const mark = <T extends JsonObject>(blocks: readonly T[]): T[] =>
    blocks.map((block, index) => (index === blocks.length - 1 ? { ...block, cache_control } : block))
  const users = messages.filter(({ role }) => role === 'user').slice(-2)
  return {
    system: mark(system),
    tools: mark(tools),
    messages: messages.map((message) =>
      users.includes(message) ? { ...message, content: mark(message.content) } : message,
    ),
  }
}
