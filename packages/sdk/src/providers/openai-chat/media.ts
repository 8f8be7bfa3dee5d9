import type { JsonObject } from '../../protocol/json.ts'
import type { FilePart, ImagePart, ToolCallPart } from '../../protocol/messages.ts'
import { dataUrl } from '../bytes.ts'
import type { ModelRequest } from '../provider.ts'

type Blobs = Pick<ModelRequest, 'bytes'>

/** An image or file as this API takes it; undefined for what it takes only as text. */
export async function mediaPiece(part: ImagePart | FilePart, blobs: Blobs): Promise<JsonObject | undefined> {
  const isImage = part.type === 'image' || part.mediaType.startsWith('image/')
  if (isImage && part.url !== undefined) return imagePiece(part.url)
  if (part.blob === undefined) return undefined
  if (isImage) return imagePiece(dataUrl(part.mediaType, await blobs.bytes(part.blob)))
  if (part.mediaType !== 'application/pdf') return undefined
  const file_data = dataUrl(part.mediaType, await blobs.bytes(part.blob))
  return { type: 'file', file: { filename: part.name ?? 'document.pdf', file_data } }
}

/** Tool messages hold only text, and nothing may come between them: images follow in a user message behind them all. */
export async function resultImages(calls: readonly ToolCallPart[], blobs: Blobs): Promise<JsonObject[]> {
  const content: JsonObject[] = []
  for (const call of calls) {
    const images = call.result?.images
    if (images === undefined || images.length === 0) continue
    content.push({ type: 'text', text: `Images from the tool ${call.toolName}, in the order of its output:` })
    for (const { mediaType, blob } of images) content.push(imagePiece(dataUrl(mediaType, await blobs.bytes(blob))))
  }
  return content
}

function imagePiece(url: string): JsonObject {
  return { type: 'image_url', image_url: { url } }
}
