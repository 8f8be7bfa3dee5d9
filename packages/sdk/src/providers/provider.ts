import type { JsonObject, JsonValue } from '../protocol/json.ts'
import type { BlobRef, Message, SourcePart } from '../protocol/messages.ts'
import type { ModelPricing } from '../protocol/pricing.ts'
import type { Usage } from '../protocol/usage.ts'

/** What is known of a model. Unknown stays undefined: it is never taken for no. */
export interface ModelCapabilities {
  readonly images?: boolean
  readonly tools?: boolean
  readonly reasoning?: boolean
  /** Tokens. */
  readonly contextWindow?: number
  /** Tokens. */
  readonly maxOutputTokens?: number
  readonly pricing?: ModelPricing
}

/** A tool of ours, as the model is told. */
export interface FunctionTool {
  readonly type: 'function'
  /** Its own name. The provider maps it to what its API accepts, and back. */
  readonly name: string
  readonly description: string
  /** JSON Schema of the input; its root is an object. */
  readonly inputSchema: JsonObject
}

/** A tool the provider runs itself; sent to that API only. */
export interface ProviderTool {
  readonly type: 'provider'
  readonly api: string
  readonly name: string
  readonly config: JsonObject
}

export type ModelTool = FunctionTool | ProviderTool

export interface ModelSettings {
  readonly temperature?: number
  /** Tokens. */
  readonly maxOutputTokens?: number
  readonly reasoning?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | { readonly budgetTokens: number }
  readonly stop?: readonly string[]
  readonly seed?: number
  /** Merged into the request body last, as it is. */
  readonly extra?: JsonObject
}

export interface ModelRequest {
  readonly instructions?: string
  /**
   * The model's view of the history, in order. Results lie inside their calls: the adapter writes the pairs out, and a
   * call without a result becomes an explicit "interrupted, outcome unknown". The adapter never changes these objects.
   */
  readonly messages: readonly Message[]
  readonly tools: readonly ModelTool[]
  readonly toolChoice?: 'auto' | 'none' | 'required' | { readonly name: string }
  /**
   * The reply should be JSON of this schema, whose root is an object. An API that cannot be held to it is told of it in
   * words; whoever asks validates what comes. `name` is for the API's logs.
   */
  readonly output?: { readonly schema: JsonObject; readonly name?: string }
  readonly settings: ModelSettings
  /** The same for requests that share their beginning: the session's id. */
  readonly cacheKey?: string
  /** The bytes of an image or file of this session. */
  bytes(ref: BlobRef): Promise<Uint8Array>
}

/**
 * `part` is an index in the reply, counted from 0 in the order the model opened its parts; a part is opened by its first
 * event, with an empty `text` if there is none yet. Parts may go on in turns, but never appear before lower ones.
 */
export type ModelEvent =
  | { readonly type: 'text'; readonly part: number; readonly text: string }
  | { readonly type: 'reasoning'; readonly part: number; readonly text: string }
  | {
      readonly type: 'tool-input'
      readonly part: number
      readonly text: string
      /** The provider's id of the call, from the first event that knows it. */
      readonly id?: string
      /** The tool's own name, from the first event that knows it. */
      readonly name?: string
      readonly executed?: 'provider'
    }
  /** The call's input is complete. `input` where the API gave it parsed. */
  | { readonly type: 'tool-input-end'; readonly part: number; readonly input?: JsonObject }
  /** What a tool that the provider ran gave back. */
  | { readonly type: 'tool-output'; readonly part: number; readonly output: JsonValue }
  | { readonly type: 'source'; readonly source: Omit<SourcePart, 'type'> }
  | { readonly type: 'file'; readonly mediaType: string; readonly bytes: Uint8Array; readonly name?: string }
  /** Opaque data to be sent back to this API and model: of one part, or of the whole message. Replaces what was there. */
  | { readonly type: 'state'; readonly part?: number; readonly state: JsonValue }
  /** What is known of the usage before the end; `done` has the last word. Kept when the call is cut. */
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'warning'; readonly code: string; readonly message: string }
  | {
      readonly type: 'done'
      readonly stop: 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'pause' | 'unknown'
      /** The provider's own word. */
      readonly rawStop?: string
      readonly usage?: Usage
      /** The model that answered. */
      readonly model?: string
    }

/**
 * A model behind an API.
 *
 * `stream` makes exactly one request and gives its events as they come, one array for each network read. An array may be
 * empty: it says that something arrived (headers, a heartbeat), and resets the caller's idle deadline.
 *
 * It must: end with `done`, or throw a `ProviderError`, or end without `done`, which means that the reply was cut; stop
 * and close its connection soon after `signal` is aborted; normalise usage.
 * It may assume: the caller reads until the end, aborts the signal, or calls `return()`.
 * It may not: retry, buffer, keep its own deadlines, or change the request. It adds no listener to `signal` that outlives
 * the call.
 */
export interface ModelProvider {
  readonly id: string
  readonly model: string
  readonly api: string
  readonly capabilities: ModelCapabilities
  stream(request: ModelRequest, options: { readonly signal: AbortSignal }): AsyncIterable<readonly ModelEvent[]>
}
