import type { JsonObject, JsonValue } from '../../protocol/json.ts'

/** Data that a provider attaches to a part, by its own name; it goes back as `providerOptions`. */
export type ProviderMetadata = JsonObject

export interface WithMetadata {
  readonly providerMetadata?: ProviderMetadata | undefined
}

interface Block extends WithMetadata {
  readonly id: string
}

/** The parts of a stream, of specification 2, 3 or 4. Metadata may come with any of a block's parts: the last one counts. */
export type StreamPart =
  | { readonly type: 'stream-start'; readonly warnings: readonly ModelWarning[] }
  | { readonly type: 'response-metadata'; readonly modelId?: string | undefined }
  | ({ readonly type: 'text-start' | 'reasoning-start' } & Block)
  | ({ readonly type: 'text-delta' | 'reasoning-delta'; readonly delta: string } & Block)
  | ({ readonly type: 'text-end' | 'reasoning-end' } & Block)
  | ({
      readonly type: 'tool-input-start'
      readonly toolName: string
      readonly providerExecuted?: boolean | undefined
    } & Block)
  | ({ readonly type: 'tool-input-delta'; readonly delta: string } & Block)
  | ({ readonly type: 'tool-input-end' } & Block)
  | ToolCall
  | ToolResult
  | { readonly type: 'tool-approval-request'; readonly toolCallId: string }
  | Source
  | GeneratedFile
  | ({ readonly type: 'custom'; readonly kind: string } & WithMetadata)
  | Finish
  | { readonly type: 'error'; readonly error: unknown }
  | { readonly type: 'ping' | 'raw' }

export interface ToolCall extends WithMetadata {
  readonly type: 'tool-call'
  readonly toolCallId: string
  readonly toolName: string
  /** JSON text; empty for a call without input. */
  readonly input: string
  readonly providerExecuted?: boolean | undefined
}

/** What a tool gave that the provider ran. */
export interface ToolResult extends WithMetadata {
  readonly type: 'tool-result'
  readonly toolCallId: string
  readonly toolName: string
  readonly result: JsonValue
  readonly isError?: boolean | undefined
  /** Another one for the same call follows. */
  readonly preliminary?: boolean | undefined
}

export interface Source {
  readonly type: 'source'
  readonly id: string
  readonly url?: string | undefined
  readonly title?: string | undefined
}

export interface GeneratedFile extends WithMetadata {
  readonly type: 'file' | 'reasoning-file'
  readonly mediaType: string
  /** Base64 text or bytes; tagged since version 4. */
  readonly data:
    | string
    | Uint8Array
    | { readonly type: 'data'; readonly data: string | Uint8Array }
    | { readonly type: 'url'; readonly url: URL }
}

export interface Finish extends WithMetadata {
  readonly type: 'finish'
  readonly finishReason: string | { readonly unified: string; readonly raw?: string | undefined }
  readonly usage: FlatUsage | NestedUsage
}

type Count = number | undefined

/** Version 2. */
export interface FlatUsage {
  readonly inputTokens: Count
  readonly outputTokens: Count
  readonly totalTokens: Count
  readonly reasoningTokens?: Count
  readonly cachedInputTokens?: Count
}

/** Since version 3. */
export interface NestedUsage {
  readonly inputTokens: {
    readonly total: Count
    readonly noCache: Count
    readonly cacheRead: Count
    readonly cacheWrite: Count
  }
  readonly outputTokens: { readonly total: Count; readonly text: Count; readonly reasoning: Count }
}

export type ModelWarning =
  | { readonly type: 'unsupported-setting'; readonly setting: string; readonly details?: string | undefined }
  | {
      readonly type: 'unsupported-tool'
      readonly tool: { readonly name: string }
      readonly details?: string | undefined
    }
  | { readonly type: 'unsupported' | 'compatibility'; readonly feature: string; readonly details?: string | undefined }
  | { readonly type: 'deprecated'; readonly setting: string; readonly message: string }
  | { readonly type: 'other'; readonly message: string }
