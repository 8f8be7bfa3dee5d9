// The shapes of the AI SDK's UI messages, as far as they are written here: structurally its own, so that nobody needs
// the package `ai` to serve a page that has it.
import type { JsonObject, JsonValue } from '../../protocol/json.ts'

export interface UIMessage {
  id: string
  role: 'user' | 'assistant'
  metadata?: UIMetadata
  parts: UIPart[]
}

interface UIMetadata {
  /** Epoch ms. */
  createdAt: number
}

export interface UITextPart {
  type: 'text' | 'reasoning'
  text: string
  state?: 'streaming' | 'done'
}

interface UIFilePart {
  type: 'file'
  mediaType: string
  filename?: string
  url: string
}

export type UISourcePart =
  | { type: 'source-url'; sourceId: string; url: string; title?: string }
  | { type: 'source-document'; sourceId: string; mediaType: string; title: string }

interface UIStepPart {
  type: 'step-start'
}

export interface UIDataPart {
  type: `data-${string}`
  id?: string
  data: unknown
}

export type UIToolPart = {
  type: `tool-${string}`
  toolCallId: string
  providerExecuted?: boolean
} & (
  | { state: 'input-streaming'; input: undefined; rawInput: string }
  | { state: 'input-available'; input: JsonObject }
  | { state: 'approval-requested'; input: JsonObject; approval: { id: string } }
  | { state: 'approval-responded'; input: JsonObject; approval: { id: string; approved: boolean; reason?: string } }
  | { state: 'output-available'; input: JsonObject; output: JsonValue }
  | { state: 'output-error'; input: JsonObject | undefined; rawInput?: string; errorText: string }
  | { state: 'output-denied'; input: JsonObject; approval: { id: string; approved: false } }
)

export type UIPart = UITextPart | UIToolPart | UIFilePart | UISourcePart | UIStepPart | UIDataPart

export function isToolPart(part: UIPart): part is UIToolPart {
  return part.type.startsWith('tool-')
}

export function isTextPart(part: UIPart): part is UITextPart {
  return part.type === 'text' || part.type === 'reasoning'
}
