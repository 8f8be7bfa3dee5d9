import { thrownText } from '../protocol/errors.ts'
import type { BlobRef, ResultImage } from '../protocol/messages.ts'
import type { ImagePart } from './content.ts'
import type { ToolContext } from './tool.ts'

/** What is kept beside the result. */
export interface Kept {
  readonly full?: BlobRef
  readonly images: readonly ResultImage[]
  /** What could not be kept, to be told with the result. */
  readonly lost: readonly string[]
}

/** Stores the whole text and the images. Never rejects. */
export async function keep(
  blobs: ToolContext['blobs'],
  whole: string | undefined,
  images: readonly ImagePart[],
): Promise<Kept> {
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
  return { ...(full !== undefined && { full }), images: stored, lost }
}
