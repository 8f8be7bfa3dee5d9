import { thrownText } from '../protocol/errors.ts'
import type { JsonValue } from '../protocol/json.ts'
import type { BlobRef, ResultImage, ToolResult } from '../protocol/messages.ts'
import { outputText } from '../protocol/text.ts'
import type { ImagePart } from './content.ts'
import type { ToolContext } from './tool.ts'

interface Whole {
  /** What the model is told. */
  readonly output: JsonValue
  /** All of the text, where the output was cut. */
  readonly whole: string | undefined
  readonly images: readonly ImagePart[]
}

/**
 * Stores the whole text and the images, and gives what of the result they change: what could not be kept is told in the
 * output. Never rejects.
 */
export async function keep(
  blobs: ToolContext['blobs'],
  { output, whole, images }: Whole,
): Promise<Pick<ToolResult, 'full' | 'images'> & { readonly output?: JsonValue }> {
  const lost: string[] = []
  async function put(what: string, bytes: Uint8Array, mediaType: string): Promise<BlobRef | undefined> {
    try {
      return await blobs.put(bytes, mediaType)
    } catch (error) {
      lost.push(`[${what} could not be kept: ${thrownText(error)}]`)
      return undefined
    }
  }
  const full =
    whole === undefined ? undefined : await put('the full text', new TextEncoder().encode(whole), 'text/plain')
  const stored: ResultImage[] = []
  for (const { mediaType, bytes } of images) {
    const blob = await put('an image', bytes, mediaType)
    if (blob !== undefined) stored.push({ mediaType, blob })
  }
  return {
    ...(lost.length > 0 && { output: [outputText(output), ...lost].join('\n') }),
    ...(stored.length > 0 && { images: stored }),
    ...(full !== undefined && { full }),
  }
}
