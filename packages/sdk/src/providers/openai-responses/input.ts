import type { JsonObject } from '../../protocol/json.ts'
import type {
  AssistantMessage,
  BlobRef,
  FilePart,
  ImagePart,
  Message,
  TextPart,
  ToolCallPart,
} from '../../protocol/messages.ts'
import { userPartText } from '../../protocol/text.ts'
import { base64, dataUrl } from '../bytes.ts'
import { answerText, inputJson, isBlank, sameModel, userPieces } from '../history.ts'
import type { ModelProvider, ModelRequest } from '../provider.ts'
import type { WireNames } from '../wire-names.ts'
import { partState } from './state.ts'

export interface InputContext {
  readonly provider: Pick<ModelProvider, 'id' | 'model' | 'api'>
  readonly names: WireNames
  readonly bytes: ModelRequest['bytes']
  idOf(call: ToolCallPart): string
}

/** The history as input items: each call with its answer right after the reply it belongs to. */
export async function inputItems(messages: readonly Message[], context: InputContext): Promise<JsonObject[]> {
  const items: JsonObject[] = []
  for (const message of messages) {
    if (message.role !== 'assistant') {
      const content = await userContent(message, context)
      if (content.length > 0) items.push({ type: 'message', role: 'user', content })
      continue
    }
    items.push(...(await replyItems(message, context)))
    for (const part of message.parts)
      if (part.type === 'tool-call' && isOurs(part)) items.push(await answer(part, context))
  }
  return items
}

/**
 * The items of a reply, in their order. A sealed thought is only valid directly before the item it led to, and only for
 * the model that thought it: one that nothing follows, or whose follower cannot be sent, is left out.
 */
async function replyItems(message: AssistantMessage, context: InputContext): Promise<JsonObject[]> {
  const own = sameModel(message, context.provider)
  const pictures = message.parts.filter((part) => part.type === 'file')
  const items: JsonObject[] = []
  let thoughts: JsonObject[] = []
  const add = (item: JsonObject) => {
    items.push(...thoughts, item)
    thoughts = []
  }
  let openMessage: string | undefined
  for (const part of message.parts) {
    const { item, id, phase } = own && 'providerState' in part ? partState(part.providerState) : {}
    if (part.type === 'text') {
      if (isBlank(part.text)) continue
      if (id !== undefined && id === openMessage) {
        items.push(continued(items.pop() as JsonObject, part))
        continue
      }
      openMessage = id
      const wireId = id !== undefined && id.length <= MAX_ID && { id, status: 'completed' }
      add({ type: 'message', role: 'assistant', content: [outputText(part)], ...wireId, ...(phase && { phase }) })
    } else if (part.type === 'reasoning') {
      if (item) thoughts.push(item)
    } else if (part.type === 'tool-call' && isOurs(part)) {
      add(functionCall(part, id, context))
    } else if (part.type === 'tool-call') {
      const replay = item?.type === 'image_generation_call' ? await withPicture(item, pictures.shift(), context) : item
      if (replay) add(replay)
      else thoughts = []
    }
  }
  return items
}

/** The longest item id the API takes back; some gateways give longer ones. */
const MAX_ID = 64

function isOurs(call: ToolCallPart): boolean {
  return call.executed === undefined && call.toolName !== ''
}

function functionCall(call: ToolCallPart, id: string | undefined, { names, idOf }: InputContext): JsonObject {
  return {
    type: 'function_call',
    call_id: idOf(call),
    name: names.toWire(call.toolName),
    arguments: inputJson(call),
    ...(id !== undefined && id.length <= MAX_ID && { id }),
  }
}

function outputText({ text }: TextPart): JsonObject {
  return { type: 'output_text', text, annotations: [] }
}

function continued(message: JsonObject, part: TextPart): JsonObject {
  return { ...message, content: [...(message.content as JsonObject[]), outputText(part)] }
}

async function withPicture(
  item: JsonObject,
  picture: FilePart | undefined,
  { bytes }: InputContext,
): Promise<JsonObject | undefined> {
  return picture?.blob && { ...item, result: base64(await bytes(picture.blob)) }
}

async function answer(call: ToolCallPart, context: InputContext): Promise<JsonObject> {
  const images = call.result?.images ?? []
  const text = answerText(call)
  const output =
    images.length === 0
      ? text
      : [inputText(text), ...(await Promise.all(images.map(({ mediaType, blob }) => image(mediaType, blob, context))))]
  return { type: 'function_call_output', call_id: context.idOf(call), output }
}

async function userContent(
  message: Exclude<Message, { role: 'assistant' }>,
  context: InputContext,
): Promise<JsonObject[]> {
  if (message.role === 'note') return message.toModel && !isBlank(message.text) ? [inputText(message.text)] : []
  return Promise.all(
    userPieces(message).map((piece) => (piece.type === 'text' ? inputText(piece.text) : media(piece.part, context))),
  )
}

/** Images and PDFs as such, other text as text; the rest only by name. */
async function media(part: ImagePart | FilePart, context: InputContext): Promise<JsonObject> {
  const { mediaType, blob, url, name } = part
  const filename = name ?? 'file.pdf'
  if (mediaType.startsWith('image/')) {
    if (blob) return image(mediaType, blob, context)
    if (url !== undefined) return { type: 'input_image', image_url: url, detail: 'auto' }
  }
  if (mediaType === 'application/pdf') {
    if (blob) return { type: 'input_file', filename, file_data: dataUrl(mediaType, await context.bytes(blob)) }
    if (url !== undefined) return { type: 'input_file', file_url: url }
  }
  if (blob && mediaType.startsWith('text/')) {
    const text = new TextDecoder().decode(await context.bytes(blob))
    return inputText(`${userPartText(part)}\n${text}`)
  }
  return inputText(userPartText(part))
}

async function image(mediaType: string, blob: BlobRef, { bytes }: InputContext): Promise<JsonObject> {
  return { type: 'input_image', image_url: dataUrl(mediaType, await bytes(blob)), detail: 'auto' }
}

function inputText(text: string): JsonObject {
  return { type: 'input_text', text }
}
