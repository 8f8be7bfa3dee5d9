import type {
  AssistantMessage,
  FilePart,
  ImagePart,
  ModelRef,
  ToolCallPart,
  UserMessage,
} from '../protocol/messages.ts'
import { resultText, UNANSWERED_CALL, userPartText } from '../protocol/text.ts'
import type { ModelProvider } from './provider.ts'

/** A part of a user message: text, or something with bytes and its text for an API that does not take it as such. */
export type UserPiece =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'media'; readonly part: ImagePart | FilePart; readonly text: string }

/** What a user message says, without blank texts: several endpoints refuse those. */
export function userPieces(message: UserMessage): UserPiece[] {
  return message.parts.flatMap((part): UserPiece[] => {
    const text = userPartText(part)
    const hasBytes =
      (part.type === 'image' || part.type === 'file') && (part.blob !== undefined || part.url !== undefined)
    if (hasBytes && part.omitted === undefined && (part.type === 'image' || part.text === undefined)) {
      return [{ type: 'media', part, text }]
    }
    return isBlank(text) ? [] : [{ type: 'text', text }]
  })
}

/** The calls of a reply that are ours to answer. One whose name never came cannot be sent. */
export function ourCalls(message: AssistantMessage): ToolCallPart[] {
  return message.parts.filter((part) => part.type === 'tool-call').filter(isOurs)
}

export function isOurs(call: ToolCallPart): boolean {
  return call.executed === undefined && call.toolName !== ''
}

/** What the model is told of a call, whether or not it has a result. Never empty. */
export function answerText(call: ToolCallPart): string {
  return call.result === undefined ? UNANSWERED_CALL : resultText(call.result)
}

/** The input of a call as the JSON text of an object, always: text that is no JSON goes back as `{}`. */
export function inputJson(call: ToolCallPart): string {
  return JSON.stringify(call.input ?? {})
}

/** Whether opaque state in this message may go back to this model: it is this very model's, and was not cut. */
export function sameModel(
  message: AssistantMessage,
  target: Pick<ModelProvider, 'id' | 'model' | 'api'>,
): message is AssistantMessage & { readonly model: ModelRef } {
  const { model, partial } = message
  return !partial && model?.provider === target.id && model.api === target.api && model.model === target.model
}

export function isBlank(text: string): boolean {
  return text.trim() === ''
}
