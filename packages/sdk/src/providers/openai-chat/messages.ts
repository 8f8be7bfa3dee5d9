import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import type { AssistantMessage, Message, ToolCallPart, UserMessage } from '../../protocol/messages.ts'
import { messageText, userPartText } from '../../protocol/text.ts'
import { isObject } from '../frames.ts'
import { answerText, inputJson, isBlank, sameModel, userPieces } from '../history.ts'
import type { ModelProvider, ModelRequest } from '../provider.ts'
import { wireIds } from '../wire-ids.ts'
import type { WireNames } from '../wire-names.ts'
import type { Quirks } from './quirks.ts'

type Target = Pick<ModelProvider, 'id' | 'model' | 'api'>

export interface MessageContext {
  readonly target: Target
  readonly names: WireNames
  readonly quirks: Quirks
  readonly bytes: ModelRequest['bytes']
}

/** The history as Chat Completions messages: nothing empty, every call answered by the messages right behind it. */
export async function chatMessages(messages: readonly Message[], context: MessageContext): Promise<JsonObject[]> {
  const idOf = wireIds(context.quirks.callIds)
  const wire: JsonObject[] = []
  for (const message of messages) {
    if (message.role === 'user') {
      const content = await userContent(message, context)
      if (content !== undefined) wire.push({ role: 'user', content })
    } else if (message.role === 'note') {
      if (message.toModel && !isBlank(message.text)) wire.push({ role: 'user', content: message.text })
    } else {
      await pushAssistant(message, idOf, context, wire)
    }
  }
  return wire
}

async function pushAssistant(
  message: AssistantMessage,
  idOf: (call: ToolCallPart) => string,
  context: MessageContext,
  wire: JsonObject[],
): Promise<void> {
  const replay = sameModel(message, context.target)
  const text = messageText(message)
  const calls = message.parts.filter(
    (part): part is ToolCallPart => part.type === 'tool-call' && part.executed === undefined && part.toolName !== '',
  )
  if (calls.length === 0 && isBlank(text)) return
  wire.push({
    role: 'assistant',
    content: isBlank(text) ? null : text,
    ...(replay && reasoningBack(message, context.quirks)),
    ...(calls.length > 0 && { tool_calls: calls.map((call) => wireCall(call, idOf(call), replay, context.names)) }),
  })
  for (const call of calls) {
    const images = call.result?.images?.length ?? 0
    const note = images === 0 ? '' : `\n(${images === 1 ? 'An image follows' : `${images} images follow`} below)`
    wire.push({ role: 'tool', tool_call_id: idOf(call), content: answerText(call) + note })
  }
  if (calls.some((call) => call.result?.images?.length)) {
    const { resultImages } = await import('./media.ts')
    wire.push({ role: 'user', content: await resultImages(calls, context.bytes) })
  }
}

function wireCall(call: ToolCallPart, id: string, replay: boolean, names: WireNames): JsonObject {
  const state = replay && isObject(call.providerState) ? (call.providerState as JsonObject) : undefined
  return {
    id,
    type: 'function',
    function: { name: names.toWire(call.toolName), arguments: inputJson(call) },
    ...(state?.extra_content !== undefined && { extra_content: state.extra_content }),
  }
}

function reasoningBack(message: AssistantMessage, quirks: Quirks): JsonObject | false {
  if (quirks.reasoningBack === 'reasoning_content') {
    const reasoning = message.parts.map((part) => (part.type === 'reasoning' ? part.text : '')).join('')
    return reasoning !== '' && { reasoning_content: reasoning }
  }
  const state = quirks.reasoningBack === 'reasoning_details' && message.providerState
  return isObject(state) && { reasoning_details: (state as JsonObject).reasoning_details ?? [] }
}

/** A plain string wherever possible: some endpoints refuse pieces, and some models imitate their structure. */
async function userContent(message: UserMessage, { bytes }: MessageContext): Promise<JsonValue | undefined> {
  const pieces = userPieces(message)
  if (pieces.length === 0) return undefined
  const content: JsonObject[] = []
  for (const piece of pieces) {
    const media = piece.type === 'media' && (await (await import('./media.ts')).mediaPiece(piece.part, bytes))
    content.push(media || { type: 'text', text: piece.type === 'text' ? piece.text : userPartText(piece.part) })
  }
  return content.every((piece) => piece.type === 'text') ? content.map((piece) => piece.text).join('\n') : content
}
