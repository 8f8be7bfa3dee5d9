import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import type { UIDataPart, UISourcePart } from './ui-message.ts'

/**
 * A chunk of the UI message stream, version 1. Every version of `ai` refuses types it does not know, so what only later
 * versions understand is marked.
 */
export type UIChunk =
  | { type: 'start'; messageId: string; messageMetadata?: unknown }
  | { type: 'start-step' }
  | { type: 'finish-step' }
  /** From `ai` 7: takes the parts of the current step back. */
  | { type: 'reset-step' }
  | { type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end'; id: string }
  | { type: 'text-delta' | 'reasoning-delta'; id: string; delta: string }
  | { type: 'tool-input-start'; toolCallId: string; toolName: string; providerExecuted?: boolean }
  | { type: 'tool-input-delta'; toolCallId: string; inputTextDelta: string }
  | {
      type: 'tool-input-available'
      toolCallId: string
      toolName: string
      input: JsonObject
      providerExecuted?: boolean
    }
  | { type: 'tool-input-error'; toolCallId: string; toolName: string; input: string; errorText: string }
  | { type: 'tool-approval-request'; approvalId: string; toolCallId: string }
  /** From `ai` 7. */
  | { type: 'tool-approval-response'; approvalId: string; approved: boolean; reason?: string }
  | { type: 'tool-output-available'; toolCallId: string; output: JsonValue; providerExecuted?: boolean }
  | { type: 'tool-output-error'; toolCallId: string; errorText: string }
  | { type: 'tool-output-denied'; toolCallId: string }
  | UISourcePart
  | { type: 'file'; url: string; mediaType: string }
  | UIDataPart
  | { type: 'message-metadata'; messageMetadata: unknown }
  | { type: 'error'; errorText: string }
  | { type: 'abort'; reason?: string }
  | { type: 'finish'; finishReason: UIFinishReason; messageMetadata?: unknown }

export type UIFinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other'

/** The major version of `ai` in the pages that are served. */
export type AIVersion = 6 | 7
