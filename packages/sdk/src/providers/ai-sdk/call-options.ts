import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import type { ProviderMetadata } from './stream-part.ts'

/** What `doStream` is asked, in specification 2, 3 or 4: where they differ, a `Dialect` makes the value. */
export interface CallOptions {
  readonly prompt: readonly PromptMessage[]
  readonly tools?: readonly ToolDeclaration[]
  readonly toolChoice?: { readonly type: 'auto' | 'none' | 'required' } | { readonly type: 'tool'; toolName: string }
  readonly responseFormat?: { readonly type: 'json'; readonly schema: JsonObject; readonly name: string }
  readonly maxOutputTokens?: number
  readonly temperature?: number
  readonly stopSequences?: readonly string[]
  readonly seed?: number
  /** Since version 4. */
  readonly reasoning?: 'none' | 'minimal' | 'low' | 'medium' | 'high'
  readonly providerOptions?: ProviderMetadata
}

export type ToolDeclaration =
  | { readonly type: 'function'; readonly name: string; readonly description: string; readonly inputSchema: JsonObject }
  | {
      readonly type: 'provider' | 'provider-defined'
      readonly id: string
      readonly name: string
      readonly args: JsonObject
    }

export type PromptMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: readonly UserContent[] }
  | { readonly role: 'assistant'; readonly content: readonly AssistantContent[] }
  | { readonly role: 'tool'; readonly content: readonly ToolResultContent[] }

interface WithOptions {
  /** The metadata a part came with. */
  readonly providerOptions?: ProviderMetadata
}

export interface TextContent extends WithOptions {
  readonly type: 'text'
  readonly text: string
}

export type FileData =
  | Uint8Array
  | URL
  | { readonly type: 'data'; data: Uint8Array }
  | { readonly type: 'url'; url: URL }

export interface FileContent extends WithOptions {
  readonly type: 'file' | 'reasoning-file'
  readonly mediaType: string
  readonly data: FileData
  readonly filename?: string
}

export type UserContent = TextContent | FileContent

export type AssistantContent =
  | TextContent
  | FileContent
  | ({ readonly type: 'reasoning'; readonly text: string } & WithOptions)
  | ({ readonly type: 'custom'; readonly kind: string } & WithOptions)
  | ({
      readonly type: 'tool-call'
      readonly toolCallId: string
      readonly toolName: string
      readonly input: JsonObject
      readonly providerExecuted?: true
    } & WithOptions)
  | ToolResultContent

interface ToolResultContent extends WithOptions {
  readonly type: 'tool-result'
  readonly toolCallId: string
  readonly toolName: string
  readonly output: ToolOutput
}

export type ToolOutput =
  | { readonly type: 'text' | 'error-text'; readonly value: string }
  | { readonly type: 'json' | 'error-json'; readonly value: JsonValue }
  | { readonly type: 'content'; readonly value: readonly ResultPiece[] }

export type ResultPiece =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'media' | 'image-data'; readonly data: string; readonly mediaType: string }
  | { readonly type: 'file'; readonly data: FileData; readonly mediaType: string }
