import type { AssistantMessage, Message, ToolCallPart, UserMessage, UserPart } from '../../protocol/messages.ts'
import type { Input, SessionState } from '../../protocol/state.ts'
import { messageText, userPartText } from '../../protocol/text.ts'
import type { ClientTranscript } from './client-transcript.ts'
import type { AGUIContentPart, AGUIMessage, AGUIToolCall } from './events.ts'
import { argumentsOf, resultId, resultOf } from './tool-calls.ts'

/** Messages that a client is told of at most, as of our own server. */
const WINDOW = 200

/** The session as messages of AG-UI: the last of its history, the reply being written, the inputs that wait. */
export function transcriptOf(state: SessionState, client: ClientTranscript): AGUIMessage[] {
  const { message, lanes } = state.pending
  const messages = [...state.history.slice(-WINDOW), ...(message ? [message] : [])]
  const waiting = [...lanes.steer, ...lanes.queue]
  return [
    ...messages.flatMap((message) => messagesOf(message, client)),
    ...waiting.map((input) => userMessage(input, client)),
  ]
}

/**
 * Whether the client has what the session has, and nothing else but what is new. Reasoning and instructions of its own do
 * not count, nor do results that only it has: those are on their way in.
 */
export function isCurrent(state: SessionState, client: ClientTranscript, isNew: ReadonlySet<string>): boolean {
  const messages = transcriptOf(state, client)
  const older = state.history.slice(0, -WINDOW)
  // A reply that says nothing yet is no message: a client that shows one has what was taken back.
  const known = new Set([...older, ...messages].map(({ id }) => id))
  const ids = [...client.users.keys(), ...client.assistants.keys()]
  return ids.every((id) => known.has(id) || isNew.has(id)) && messages.every((message) => client.has(message))
}

/** Ids of everything anybody said or is about to say. */
export function knownIds({ history, pending: { message, lanes } }: SessionState): string[] {
  return [...history, ...(message ? [message] : []), ...lanes.steer, ...lanes.queue].map(({ id }) => id)
}

function messagesOf(message: Message, client: ClientTranscript): AGUIMessage[] {
  if (message.role === 'user') return [userMessage(message, client)]
  return message.role === 'assistant' ? assistantMessages(message) : []
}

/** The reply's reasoning, then what it says and calls, with the results: in the order in which a client builds them. */
function assistantMessages(message: AssistantMessage): AGUIMessage[] {
  const messages: AGUIMessage[] = []
  const content = messageText(message)
  const calls = message.parts.filter((part) => part.type === 'tool-call').filter(({ toolName }) => toolName !== '')
  let isTold = content === '' && calls.length === 0
  message.parts.forEach((part, index) => {
    if (part.type === 'reasoning') {
      if (part.text !== '') messages.push({ id: reasoningId(message, index), role: 'reasoning', content: part.text })
      return
    }
    if (isTold || (part.type !== 'tool-call' && part.type !== 'text') || (part.type === 'text' && part.text === '')) {
      return
    }
    isTold = true
    messages.push({
      id: message.id,
      role: 'assistant',
      ...(content !== '' && { content }),
      ...(calls.length > 0 && { toolCalls: calls.map(toolCall) }),
    })
    for (const call of calls) {
      const told = resultOf(call)
      if (told === undefined) continue
      const { result } = call
      const failed = result !== undefined && result.outcome !== 'ok' && { error: result.code ?? result.outcome }
      messages.push({ id: resultId(call), role: 'tool', toolCallId: call.callId, content: told, ...failed })
    }
  })
  return messages
}

function toolCall(part: ToolCallPart): AGUIToolCall {
  return { id: part.callId, type: 'function', function: { name: part.toolName, arguments: argumentsOf(part) } }
}

export function reasoningId({ id }: AssistantMessage, part: number): string {
  return `${id}:reasoning:${part}`
}

function userMessage({ id, parts }: UserMessage | Input, client: ClientTranscript): AGUIMessage {
  if (parts.every(({ type }) => type === 'text')) return { id, role: 'user', content: userText(parts) }
  // Its own picture, which it sent as bytes, is not taken from a client.
  return { id, role: 'user', content: client.users.get(id) ?? parts.map(contentPart) }
}

function userText(parts: readonly UserPart[]): string {
  return parts.map(userPartText).join('\n')
}

function contentPart(part: UserPart): AGUIContentPart {
  if ((part.type !== 'image' && part.type !== 'file') || part.url === undefined) {
    return { type: 'text', text: userPartText(part) }
  }
  const { mediaType, url } = part
  const [family = ''] = mediaType.split('/')
  const type = family === 'image' || family === 'audio' || family === 'video' ? family : 'document'
  return { type, source: { type: 'url', value: url, mimeType: mediaType } }
}
