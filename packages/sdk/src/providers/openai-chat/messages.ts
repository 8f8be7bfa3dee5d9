import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import type { AssistantMessage, ToolCallPart, UserMessage } from '../../protocol/messages.ts'
import { messageText } from '../../protocol/text.ts'
import { fieldsOf } from '../frames.ts'
import { answerText, inputJson, isBlank, ourCalls, sameModel, userPieces } from '../history.ts'
import type { Target } from '../http-provider.ts'
import type { ModelRequest } from '../provider.ts'
import type { WireHistory } from '../wire-history.ts'
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
export function chatMessages(request: ModelRequest, context: ChatContext): Promise<JsonObject[]> {
  const { target, names, quirks, history } = context
  const idOf = wireIds(quirks.callIds)

  async function reply(message: AssistantMessage): Promise<JsonObject[]> {
    const text = messageText(message)
    const calls = ourCalls(message)
    if (calls.length === 0 && isBlank(text)) return []
    // This very model wrote it, so its opaque state goes back.
    const own = sameModel(message, target)
    const back =
      own && quirks.reasoningBack !== 'none'
        ? (await import('./vendors.ts')).reasoningBack(message, quirks.reasoningBack)
        : {}
    const wireCall = (call: ToolCallPart): JsonObject => {
      const { extra_content } = fieldsOf(own && call.providerState)
      return {
        id: idOf(call),
        type: 'function',
        function: { name: names.toWire(call.toolName), arguments: inputJson(call) },
        ...(extra_content !== undefined && { extra_content }),
      }
    }
    const told: JsonObject = {
      role: 'assistant',
      content: isBlank(text) ? null : text,
      ...back,
      ...(calls.length > 0 && { tool_calls: calls.map(wireCall) }),
    }
    const answers = calls.map((call) => ({ role: 'tool', tool_call_id: idOf(call), content: answerText(call) }))
    if (!calls.some((call) => call.result?.images?.length)) return [told, ...answers]
    return [told, ...(await (await import('./media.ts')).withImages(answers, calls, request))]
  }

  return history.of(request.messages, { names, idOf }, async (message) => {
    if (message.role === 'assistant') return reply(message)
    const content = message.role === 'user' ? await userContent(message, request) : message.toModel && message.text
    return content && !(typeof content === 'string' && isBlank(content)) ? [{ role: 'user', content }] : []
  })
}

/** A plain string wherever possible: some endpoints refuse pieces, and some models imitate their structure. */
async function userContent(message: UserMessage, request: ModelRequest): Promise<JsonValue> {
  const pieces = userPieces(message)
  const texts = pieces.flatMap((piece) => (piece.type === 'text' ? [piece.text] : []))
  if (texts.length === pieces.length) return texts.join('\n')
  return (await import('./media.ts')).mediaContent(pieces, request)
}
