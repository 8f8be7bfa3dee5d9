import type { JsonValue } from './json.ts'
import type { AssistantMessage, Message, TextPart, ToolResult, UserPart } from './messages.ts'

/** What the model is told of a call that never got a result. */
export const UNANSWERED_CALL = 'Interrupted: the outcome of this call is unknown. Check before you repeat it.'

/**
 * A message as text, for models and logs. Frozen byte for byte: models are sent it again every turn, so a change would
 * void their caches.
 */
export function messageText(message: Message): string {
  switch (message.role) {
    case 'user':
      return message.parts.map(userPartText).join('\n')
    case 'assistant':
      return replyText(message)
    case 'note':
      return message.text
  }
}

/** `messageText` of a reply. */
export function replyText({ parts }: AssistantMessage): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** One part of a user message as text. Frozen like `messageText`. */
export function userPartText(part: UserPart): string {
  if (part.type === 'text') return part.text
  const title = `${part.type}: ${nameOf(part)}`
  const { text, omitted }: { readonly text?: string; readonly omitted?: string } = part
  if (text !== undefined) return `[${title}]\n${text}`
  return omitted === undefined ? `[${title}]` : `[${title}, omitted: ${omitted}]`
}

function nameOf(part: Exclude<UserPart, TextPart>): string {
  if (part.type === 'session') return part.title ?? part.sessionId
  return part.name ?? (part.type === 'file' ? part.path : undefined) ?? part.mediaType
}

/** What the model is told of a result: never empty. Frozen like `messageText`. */
export function resultText(result: ToolResult): string {
  const text = outputText(result.output)
  const told = text.trim() === '' ? (result.outcome === 'ok' ? '(no output)' : `(${result.outcome})`) : text
  if (result.ranWith === undefined) return told
  return `The input was changed before it ran, to ${JSON.stringify(result.ranWith)}.\n${told}`
}

export function outputText(output: JsonValue): string {
  return typeof output === 'string' ? output : JSON.stringify(output)
}

/** Puts what is not the conversation's own words into a person's language. */
export type Translate = (
  key: 'image' | 'file' | 'session' | 'omitted' | 'summary' | 'partial',
  values: { readonly name?: string; readonly reason?: string },
) => string

const ENGLISH: Translate = (key, { name, reason }) => {
  switch (key) {
    case 'image':
      return `Image: ${name}`
    case 'file':
      return `File: ${name}`
    case 'session':
      return `Session: ${name}`
    case 'omitted':
      return `left out: ${reason}`
    case 'summary':
      return 'Summary of the conversation so far'
    case 'partial':
      return 'cut off'
  }
}

/** A message as text for people: for copying, searching and exporting. */
export function displayText(message: Message, translate: Translate = ENGLISH): string {
  switch (message.role) {
    case 'user':
      return message.parts.map((part) => displayPart(part, translate)).join('\n')
    case 'assistant': {
      const text = messageText(message)
      return message.partial ? `${text} (${translate('partial', {})})` : text
    }
    case 'note':
      return message.kind === 'summary' ? `${translate('summary', {})}\n${message.text}` : message.text
  }
}

function displayPart(part: UserPart, translate: Translate): string {
  if (part.type === 'text') return part.text
  const shown = translate(part.type, { name: nameOf(part) })
  return part.omitted === undefined ? shown : `${shown} (${translate('omitted', { reason: part.omitted })})`
}
