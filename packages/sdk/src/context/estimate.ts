import type { Message } from '../protocol/messages.ts'
import { messageText, outputText } from '../protocol/text.ts'

/** UTF-16 units a token takes, about; an image counts as many tokens as this. */
const UNITS_PER_TOKEN = 4
const IMAGE_TOKENS = 1_000
/** What the frame of a message or a tool costs. */
const FRAME_TOKENS = 4

/** Messages never change, so each is measured once. */
const measured = new WeakMap<Message, number>()

/** What of a model request takes up its context window. */
export interface Measurable {
  readonly instructions?: string
  readonly messages: readonly Message[]
  readonly tools: readonly object[]
}

/** Tokens of a request, by length: good to some tenths, and the same every time. */
export function estimateTokens(request: Measurable): number {
  let tokens = tokensOf(request.instructions ?? '')
  for (const message of request.messages) {
    const own = measured.get(message) ?? messageTokens(message)
    measured.set(message, own)
    tokens += own
  }
  for (const tool of request.tools) tokens += FRAME_TOKENS + tokensOf(JSON.stringify(tool))
  return tokens
}

function tokensOf(text: string): number {
  return tokensOfLength(text.length)
}

/** Tokens of a text with so many UTF-16 units. */
export function tokensOfLength(units: number): number {
  return Math.ceil(units / UNITS_PER_TOKEN)
}

function messageTokens(message: Message): number {
  let tokens = FRAME_TOKENS + tokensOf(messageText(message))
  if (message.role === 'note') return tokens
  for (const part of message.parts) {
    if (part.type === 'image') tokens += IMAGE_TOKENS
    if (part.type !== 'tool-call') continue
    tokens += FRAME_TOKENS + tokensOf(part.inputText ?? JSON.stringify(part.input ?? {}))
    if (part.result)
      tokens +=
        FRAME_TOKENS + tokensOf(outputText(part.result.output)) + IMAGE_TOKENS * (part.result.images?.length ?? 0)
  }
  return tokens
}
