import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import type {
  AssistantMessage,
  FilePart,
  ImagePart,
  Message,
  ResultImage,
  ToolCallPart,
  UserMessage,
} from '../../protocol/messages.ts'
import { messageText, userPartText } from '../../protocol/text.ts'
import { dataUrl } from '../bytes.ts'
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
  await pushImages(calls, context, wire)
}

/** Tool messages hold only text, and nothing may come between them: images follow in a user message behind them all. */
async function pushImages(
  calls: readonly ToolCallPart[],
  { bytes }: MessageContext,
  wire: JsonObject[],
): Promise<void> {
  const content: JsonObject[] = []
  for (const call of calls) {
    const images = call.result?.images
    if (images === undefined || images.length === 0) continue
    content.push(textPiece(`Images from the tool ${call.toolName}, in the order of its output:`))
    for (const image of images) content.push(imagePiece(await resultUrl(image, bytes)))
  }
  if (content.length > 0) wire.push({ role: 'user', content })
}

async function resultUrl({ mediaType, blob }: ResultImage, bytes: ModelRequest['bytes']): Promise<string> {
  return dataUrl(mediaType, await bytes(blob))
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
    content.push(piece.type === 'text' ? textPiece(piece.text) : await mediaPiece(piece.part, bytes))
  }
  return content.every((piece) => piece.type === 'text') ? content.map((piece) => piece.text).join('\n') : content
}

async function mediaPiece(part: ImagePart | FilePart, bytes: ModelRequest['bytes']): Promise<JsonObject> {
  const isImage = part.type === 'image' || part.mediaType.startsWith('image/')
  if (isImage && part.url !== undefined) return imagePiece(part.url)
  if (part.blob === undefined) return textPiece(userPartText(part))
  if (isImage) return imagePiece(dataUrl(part.mediaType, await bytes(part.blob)))
  if (part.mediaType !== 'application/pdf') return textPiece(userPartText(part))
  const file_data = dataUrl(part.mediaType, await bytes(part.blob))
  return { type: 'file', file: { filename: part.name ?? 'document.pdf', file_data } }
}

function textPiece(text: string): JsonObject {
  return { type: 'text', text }
}

function imagePiece(url: string): JsonObject {
  return { type: 'image_url', image_url: { url } }
}
