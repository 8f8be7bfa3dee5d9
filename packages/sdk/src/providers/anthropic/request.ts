import { type JsonObject, normalise } from '../../protocol/json.ts'
import { isBlank, ourCalls } from '../history.ts'
import type { PreparedRequest } from '../http-provider.ts'
import { outputInstruction, outputName } from '../output.ts'
import type { ModelRequest } from '../provider.ts'
import { ignoredSetting } from '../warnings.ts'
import type { WireNames } from '../wire-names.ts'
import { type WireSchema, wireSchemas } from '../wire-schema.ts'
import { omittedTools, wireTools } from '../wire-tools.ts'
import type { Block } from './assistant.ts'
import { type MessagesContext, type WireMessage, wireMessages } from './messages.ts'
import { modelTraits } from './models.ts'
import { outputFormat } from './output.ts'
import { ANTHROPIC_API } from './provider-tools.ts'
import { thinkingFor } from './thinking.ts'

/** How long the beginning of a request stays in Anthropic's cache. */
export type CacheSetting = '5m' | '1h' | false

/** A Messages request for the history, the tools and the settings. */
export async function messagesRequest(
  request: ModelRequest,
  { cache, ...context }: MessagesContext & { readonly cache: CacheSetting },
): Promise<PreparedRequest> {
  const { target, names } = context
  const { settings, toolChoice, output } = request
  const traits = modelTraits(target.model)
  const maxTokens = settings.maxOutputTokens ?? target.capabilities.maxOutputTokens ?? traits.maxTokens
  const messages = await wireMessages(request, context)
  const { thinking, effort } = thinkingFor(settings.reasoning, traits, {
    maxTokens,
    forcedTool: toolChoice === 'required' || typeof toolChoice === 'object',
    begunWithout: beginsWithoutThinking(messages),
  })
  // Thinking only goes with the default temperature.
  const thinks = thinking !== undefined && thinking.type !== 'disabled'
  const wireSchema = await wireSchemas(request)
  const schema = output && wireSchema(output.schema, outputName(output))
  const format = schema && traits.structuredOutput ? outputFormat(schema) : undefined
  const instructions = [request.instructions ?? '', schema && !format ? outputInstruction(schema) : '']
  const stops = settings.stop?.filter((stop) => !isBlank(stop)) ?? []
  const { system, tools, ...marked } = withBreakpoints(cache, {
    system: instructions.filter((text) => !isBlank(text)).map((text) => ({ type: 'text', text })),
    tools: declared(request, names, wireSchema),
    messages,
  })
  const fields = {
    model: target.model,
    max_tokens: maxTokens,
    stream: true,
    ...(system.length > 0 && { system }),
    ...(tools.length > 0 && { tools, tool_choice: wireChoice(request, names) }),
    ...(thinking && { thinking }),
    ...((effort || format) && { output_config: { ...(effort && { effort }), ...(format && { format }) } }),
    ...(settings.temperature !== undefined && !thinks && { temperature: settings.temperature }),
    ...(stops.length > 0 && { stop_sequences: stops }),
    ...settings.extra,
  }
  const warnings = omittedTools(request.tools, target.api)
  if (settings.seed !== undefined) warnings.push(ignoredSetting('The Messages API has no setting seed'))
  if (settings.temperature !== undefined && thinks) {
    warnings.push(ignoredSetting('A model that thinks has a fixed temperature'))
  }
  return { body: { messages: marked.messages, ...(normalise(fields) as JsonObject) }, warnings }
}

function declared({ tools, messages }: ModelRequest, names: WireNames, wireSchema: WireSchema): JsonObject[] {
  const wire = wireTools(tools, ANTHROPIC_API, ({ name, description, inputSchema }) => ({
    name: names.toWire(name),
    description,
    input_schema: wireSchema(inputSchema, name),
  }))
  if (wire.length > 0) return wire
  // A history with calls is refused by some endpoints when no tool is declared.
  return [...calledNames(messages)].map((name) => ({ name: names.toWire(name), input_schema: { type: 'object' } }))
}

function wireChoice({ tools, toolChoice = 'auto' }: ModelRequest, names: WireNames): JsonObject {
  if (typeof toolChoice === 'object') return { type: 'tool', name: names.toWire(toolChoice.name) }
  if (!tools.some((tool) => tool.type === 'function' || tool.api === ANTHROPIC_API)) return { type: 'none' }
  return { type: toolChoice === 'required' ? 'any' : toolChoice }
}

function calledNames(messages: ModelRequest['messages']): Set<string> {
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? ourCalls(message) : []))
  return new Set(calls.map((call) => call.toolName))
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
