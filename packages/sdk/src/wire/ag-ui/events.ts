import type { JsonObject, JsonValue } from '../../protocol/json.ts'

/**
 * The protocol a client speaks. `1.0` says so in its input; `0` is everything before, of which 0.0.59 is the last. What
 * is written here is understood by both, except where it says otherwise.
 */
export type Dialect = '0' | '1.0'

export interface AGUIToolCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

/** A part of what a person says. What a client sent of its own goes back to it as it came. */
export type AGUIContentPart = { readonly type: 'text'; readonly text: string } | JsonObject

export type AGUIMessage =
  | { readonly id: string; readonly role: 'user'; readonly content: string | readonly AGUIContentPart[] }
  | {
      readonly id: string
      readonly role: 'assistant'
      readonly content?: string
      readonly toolCalls?: readonly AGUIToolCall[]
    }
  | {
      readonly id: string
      readonly role: 'tool'
      readonly toolCallId: string
      readonly content: string
      readonly error?: string
    }
  | { readonly id: string; readonly role: 'reasoning'; readonly content: string }

/** Something the run waits for. It is answered by an entry of the next run's `resume`. */
export interface AGUIInterrupt {
  readonly id: string
  /** `tool_call`: may this be done? `confirmation`: of a plan. `input_required`: questions. */
  readonly reason: 'tool_call' | 'confirmation' | 'input_required'
  readonly message?: string
  readonly toolCallId?: string
  /** JSON Schema of the payload that answers it. */
  readonly responseSchema?: JsonObject
  /** ISO 8601. */
  readonly expiresAt?: string
  readonly metadata?: JsonObject
}

/** Per provider and model. The parts are contained in the totals. */
export interface AGUIUsage {
  readonly provider?: string
  readonly model?: string
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly totalTokens?: number
  readonly reasoningTokens?: number
  readonly cachedInputTokens?: number
  /** 1.0 only. */
  readonly cacheWriteInputTokens?: number
}

export type AGUIOutcome =
  /** `pendingToolCallIds`, calls that the client is to answer: 1.0 only. */
  | { readonly type: 'success'; readonly pendingToolCallIds?: readonly string[] }
  | { readonly type: 'interrupt'; readonly interrupts: readonly AGUIInterrupt[] }
  /** 1.0 only. */
  | { readonly type: 'cancelled' }

export type AGUIEvent =
  | {
      readonly type: 'RUN_STARTED'
      readonly threadId: string
      readonly runId: string
      /** 1.0 only. */
      readonly protocolVersion?: '1.0'
    }
  | {
      readonly type: 'RUN_FINISHED'
      readonly threadId: string
      readonly runId: string
      readonly outcome: AGUIOutcome
      readonly result?: JsonValue
      readonly usage?: readonly AGUIUsage[]
    }
  | {
      readonly type: 'RUN_ERROR'
      readonly message: string
      readonly code: string
      readonly usage?: readonly AGUIUsage[]
    }
  | { readonly type: 'MESSAGES_SNAPSHOT'; readonly messages: readonly AGUIMessage[] }
  | { readonly type: 'STATE_SNAPSHOT'; readonly snapshot: JsonObject }
  | { readonly type: 'TEXT_MESSAGE_START'; readonly messageId: string; readonly role: 'user' | 'assistant' }
  | { readonly type: 'TEXT_MESSAGE_CONTENT'; readonly messageId: string; readonly delta: string }
  | { readonly type: 'TEXT_MESSAGE_END'; readonly messageId: string }
  | { readonly type: 'REASONING_START'; readonly messageId: string }
  | { readonly type: 'REASONING_MESSAGE_START'; readonly messageId: string; readonly role: 'reasoning' }
  | { readonly type: 'REASONING_MESSAGE_CONTENT'; readonly messageId: string; readonly delta: string }
  | { readonly type: 'REASONING_MESSAGE_END'; readonly messageId: string }
  | { readonly type: 'REASONING_END'; readonly messageId: string }
  | {
      readonly type: 'TOOL_CALL_START'
      readonly toolCallId: string
      readonly toolCallName: string
      readonly parentMessageId: string
    }
  | { readonly type: 'TOOL_CALL_ARGS'; readonly toolCallId: string; readonly delta: string }
  | { readonly type: 'TOOL_CALL_END'; readonly toolCallId: string }
  | {
      readonly type: 'TOOL_CALL_RESULT'
      readonly messageId: string
      readonly toolCallId: string
      readonly content: string
    }
