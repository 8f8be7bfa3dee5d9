import type { AssistantMessage } from '../protocol/messages.ts'

/**
 * Has the engine make one string of text that grew. Until then it is a piece for each delta, and whoever holds it, as React
 * does what it rendered before, holds them all: the DOM does not ask for more. A regular expression does, in every engine,
 * and no compiler drops it.
 */
export function flattenText(message: AssistantMessage | undefined): void {
  for (const part of message?.parts ?? []) {
    if (part.type === 'text' || part.type === 'reasoning') /^$/.test(part.text)
    else if (part.type === 'tool-call') /^$/.test(part.inputText ?? '')
  }
}
