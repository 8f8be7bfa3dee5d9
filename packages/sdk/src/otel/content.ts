import type { JsonObject, JsonValue } from '../protocol/json.ts'
import type { AssistantMessage, Message, UserPart } from '../protocol/messages.ts'

/** Messages as the conventions write them down. Results of calls follow the message that holds the calls. */
export function inputMessages(messages: readonly Message[]): string {
  return JSON.stringify(
    messages.flatMap((message): JsonObject[] => {
      if (message.role === 'user') return [{ role: 'user', parts: message.parts.map(userPart) }]
      if (message.role === 'note') {
        return message.toModel ? [{ role: 'user', parts: [text(message.text)] }] : []
      }
      const responses = message.parts.flatMap((part) =>
        part.type === 'tool-call' && part.result
          ? [{ type: 'tool_call_response', id: part.callId, response: part.result.output }]
          : [],
      )
      const said = { role: 'assistant', parts: replyParts(message) }
      return responses.length > 0 ? [said, { role: 'tool', parts: responses }] : [said]
    }),
  )
}

export function outputMessages(message: AssistantMessage, finishReason: string): string {
  return JSON.stringify([{ role: 'assistant', parts: replyParts(message), finish_reason: finishReason }])
}

function replyParts({ parts }: AssistantMessage): JsonValue[] {
  return parts.flatMap((part): JsonValue[] => {
    switch (part.type) {
      case 'text':
        return [text(part.text)]
      case 'reasoning':
        return [{ type: 'reasoning', content: part.text }]
      case 'tool-call':
        return [
          { type: 'tool_call', id: part.callId, name: part.toolName, arguments: part.input ?? part.inputText ?? null },
        ]
      default:
        return []
    }
  })
}

/** Bytes stay where they are. */
function userPart(part: UserPart): JsonValue {
  if (part.type === 'text') return text(part.text)
  if (part.type === 'session') return { type: 'session', session_id: part.sessionId }
  const { mediaType, url, blob, name } = part
  const known = { mime_type: mediaType, modality: part.type === 'image' ? 'image' : 'document' }
  if (url !== undefined) return { type: 'uri', ...known, uri: url }
  return { type: 'file', ...known, file_id: blob?.sha256 ?? name ?? '' }
}

function text(content: string): JsonObject {
  return { type: 'text', content }
}
