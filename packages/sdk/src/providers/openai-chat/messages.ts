import { isObject, type JsonObject, type JsonValue } from '../../protocol/json.ts'
import type { AssistantMessage, ToolCallPart, UserMessage } from '../../protocol/messages.ts'
import { messageText, userPartText } from '../../protocol/text.ts'
import { answerText, inputJson, isBlank, ourCalls, sameModel, userPieces } from '../history.ts'
import type { Target } from '../http-provider.ts'
import type { ModelRequest } from '../provider.ts'
import type { CallWords, WireHistory } from '../wire-history.ts'
import { wireIds } from '../wire-ids.ts'
import type { WireNames } from '../wire-names.ts'
import type { Quirks } from './quirks.ts'

export interface ChatContext {
  readonly target: Target
  readonly names: WireNames
  readonly quirks: Quirks
  readonly history: WireHistory<JsonObject>
}

/** The history as Chat Completions messages: nothing empty, every call answered by the messages right behind it. */
export function chatMessages(
  request: ModelRequest,
  { target, names, quirks, history }: ChatContext,
): Promise<JsonObject[]> {
  const words = { names, idOf: wireIds(quirks.callIds) }
  return history.of(request.messages, words, async (message) => {
    if (message.role === 'assistant') {
      const own = sameModel(message, target)
      return replyMessages(message, { own, words, quirks, request })
    }
    const content = message.role === 'user' ? await userContent(message, request) : message.toModel && message.text
    return content && !(typeof content === 'string' && isBlank(content)) ? [{ role: 'user', content }] : []
  })
}

interface ReplyContext {
  /** This very model wrote it, so its opaque state goes back. */
  readonly own: boolean
  readonly words: CallWords
  readonly quirks: Quirks
  readonly request: ModelRequest
}

async function replyMessages(
  message: AssistantMessage,
  { own, words, quirks, request }: ReplyContext,
): Promise<JsonObject[]> {
  const text = messageText(message)
  const calls = ourCalls(message)
  if (calls.length === 0 && isBlank(text)) return []
  const reply = {
    role: 'assistant',
    content: isBlank(text) ? null : text,
    ...(own && reasoningBack(message, quirks)),
    ...(calls.length > 0 && { tool_calls: calls.map((call) => wireCall(call, own, words)) }),
  }
  const answers = calls.map((call) => ({ role: 'tool', tool_call_id: words.idOf(call), content: answerText(call) }))
  if (!calls.some((call) => call.result?.images?.length)) return [reply, ...answers]
  const { withImages } = await import('./media.ts')
  return [reply, ...(await withImages(answers, calls, request))]
}

function wireCall(call: ToolCallPart, own: boolean, { idOf, names }: CallWords): JsonObject {
  const state = own && isObject(call.providerState) ? (call.providerState as JsonObject) : undefined
  return {
    id: idOf(call),
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
async function userContent(message: UserMessage, request: ModelRequest): Promise<JsonValue | undefined> {
  const pieces = userPieces(message)
  if (pieces.length === 0) return undefined
  const content: JsonObject[] = []
  for (const piece of pieces) {
    const media = piece.type === 'media' && (await (await import('./media.ts')).mediaPiece(piece.part, request))
    content.push(media || { type: 'text', text: piece.type === 'text' ? piece.text : userPartText(piece.part) })
  }
  return content.every((piece) => piece.type === 'text') ? content.map((piece) => piece.text).join('\n') : content
}
