import { normaliseText } from '../../protocol/json.ts'
import type { Message } from '../../protocol/messages.ts'
import { isBlank, ourCalls, sameModel, userPieces } from '../history.ts'
import type { Target } from '../http-provider.ts'
import { NINE_CHARACTER_IDS } from '../mistral-ids.ts'
import type { ModelRequest } from '../provider.ts'
import { CALL_IDS, wireIds } from '../wire-ids.ts'
import type { WireNames } from '../wire-names.ts'
import { answeredCall, assistantContent, ownId } from './assistant.ts'
import type { PromptMessage, TextContent, UserContent } from './call-options.ts'
import { type FileContext, userFile } from './files.ts'
import { besideParts, partState } from './state.ts'
import { toolResults } from './tool-results.ts'

export interface PromptContext extends FileContext {
  readonly target: Target
  readonly names: WireNames
}

/** The history as a prompt: nothing empty, starting with the user, each call answered by the messages right behind it. */
export async function promptOf(
  { instructions = '', messages }: ModelRequest,
  context: PromptContext,
): Promise<readonly PromptMessage[]> {
  const { target, names } = context
  const idOf = wireIds(target.id.includes('mistral') ? NINE_CHARACTER_IDS : CALL_IDS)
  const words = { ...context, names, idOf, isPaired: pairsIn(messages, target), provider: target.id }
  const turns: PromptMessage[] = []
  for (const message of messages) {
    if (message.role === 'assistant') {
      const content = await assistantContent(message, words)
      if (content.length > 0) turns.push({ role: 'assistant', content })
      turns.push(...(await toolResults(ourCalls(message), words)))
    } else {
      const content = await userContent(message, context)
      if (content.length > 0) turns.push({ role: 'user', content })
    }
  }
  if (turns[0]?.role === 'assistant') turns.unshift({ role: 'user', content: [text('(earlier messages left out)')] })
  return isBlank(instructions) ? turns : [{ role: 'system', content: normaliseText(instructions) }, ...turns]
}

async function userContent(
  message: Exclude<Message, { role: 'assistant' }>,
  context: PromptContext,
): Promise<readonly UserContent[]> {
  if (message.role === 'note') return message.toModel && !isBlank(message.text) ? [text(message.text)] : []
  return Promise.all(
    userPieces(message).map((piece) => (piece.type === 'text' ? text(piece.text) : userFile(piece.part, context))),
  )
}

/**
 * Whether a call that the provider ran, and its result, may go back: a call needs its result, except in the last reply,
 * which may have paused before it; a result needs its call.
 */
function pairsIn(messages: readonly Message[], target: Target): (callId: string) => boolean {
  const called = new Set<string>()
  const answered = new Set<string>()
  for (const message of messages) {
    if (message.role !== 'assistant' || !sameModel(message, target)) continue
    const isLast = message === messages.at(-1)
    for (const part of message.parts) {
      if (part.type !== 'tool-call' || part.executed === undefined || partState(part.providerState).shown) continue
      called.add(ownId(part))
      if (isLast) answered.add(ownId(part))
    }
    for (const entry of besideParts(message.providerState)) {
      const call = answeredCall(message, entry)
      if (call !== undefined) answered.add(ownId(call))
    }
  }
  return (callId) => called.has(callId) && answered.has(callId)
}

function text(value: string): TextContent {
  return { type: 'text', text: normaliseText(value) }
}
