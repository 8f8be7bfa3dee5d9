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
import { answerText, inputJson, isBlank, isOurs, ourCalls, sameModel, userPieces } from '../history.ts'
import type { Target } from '../http-provider.ts'
import type { ModelRequest } from '../provider.ts'
import type { CallWords, WireHistory } from '../wire-history.ts'
import { CALL_IDS, wireIds } from '../wire-ids.ts'
import type { WireNames } from '../wire-names.ts'
import { partState } from './state.ts'

export interface InputContext {
  readonly target: Target
  readonly names: WireNames
  readonly history: WireHistory<JsonObject>
}

interface ItemContext extends CallWords {
  readonly target: Target
  readonly bytes: ModelRequest['bytes']
}

/** The history as input items: each call with its answer right after the reply it belongs to. */
export function inputItems(request: ModelRequest, { target, names, history }: InputContext): Promise<JsonObject[]> {
  const bytes: ModelRequest['bytes'] = (ref) => request.bytes(ref)
  const context = { target, names, bytes, idOf: wireIds(CALL_IDS) }
  return history.of(request.messages, context, async (message) => {
    if (message.role === 'assistant') {
      const answers = ourCalls(message).map((call) => answer(call, context))
      return [...(await replyItems(message, context)), ...(await Promise.all(answers))]
    }
    const content = await userContent(message, context)
    return content.length > 0 ? [{ type: 'message', role: 'user', content }] : []
  })
}

/**
 * The items of a reply, in their order. A sealed thought is only valid directly before the item it led to, and only for
 * the model that thought it: one that nothing follows, or whose follower cannot be sent, is left out.
 */
async function replyItems(message: AssistantMessage, context: ItemContext): Promise<JsonObject[]> {
  const own = sameModel(message, context.target)
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

function functionCall(call: ToolCallPart, id: string | undefined, { names, idOf }: ItemContext): JsonObject {
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
  { bytes }: ItemContext,
): Promise<JsonObject | undefined> {
  return picture?.blob && { ...item, result: base64(await bytes(picture.blob)) }
}

async function answer(call: ToolCallPart, context: ItemContext): Promise<JsonObject> {
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
  context: ItemContext,
): Promise<JsonObject[]> {
  if (message.role === 'note') return message.toModel && !isBlank(message.text) ? [inputText(message.text)] : []
  return Promise.all(
    userPieces(message).map((piece) => (piece.type === 'text' ? inputText(piece.text) : media(piece.part, context))),
  )
}

/** Images and PDFs as such, other text as text; the rest only by name. */
async function media(part: ImagePart | FilePart, context: ItemContext): Promise<JsonObject> {
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

async function image(mediaType: string, blob: BlobRef, { bytes }: ItemContext): Promise<JsonObject> {
  return { type: 'input_image', image_url: dataUrl(mediaType, await bytes(blob)), detail: 'auto' }
}

function inputText(text: string): JsonObject {
  return { type: 'input_text', text }
}
