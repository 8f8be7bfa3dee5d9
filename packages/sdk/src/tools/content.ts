import { ToolError } from '../protocol/errors.ts'

export type ToolContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly mediaType: string; readonly bytes: Uint8Array }

export type ImagePart = Extract<ToolContentPart, { type: 'image' }>

// Registered, so that it is recognised across two copies of this package.
const CONTENT = Symbol.for('stepwell.tool-content')

/** A result of several parts, images among them; made by `toolContent`. */
export interface ToolContent {
  readonly parts: readonly ToolContentPart[]
}

/** What a tool returns to show the model images beside text. Throws `tool.failed` for parts of another shape. */
export function toolContent(parts: readonly ToolContentPart[]): ToolContent {
  for (const part of parts) {
    const isText = part.type === 'text' && typeof part.text === 'string'
    const isImage = part.type === 'image' && typeof part.mediaType === 'string' && part.bytes instanceof Uint8Array
    if (!isText && !isImage) {
      throw new ToolError(
        'tool.failed',
        'toolContent takes { type: "text", text } and { type: "image", mediaType, bytes }.',
      )
    }
  }
  return Object.freeze({ parts: [...parts], [CONTENT]: true })
}

export function isToolContent(value: unknown): value is ToolContent {
  return typeof value === 'object' && value !== null && CONTENT in value
}
