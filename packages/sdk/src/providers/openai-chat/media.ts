import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import type { FilePart, ImagePart, ToolCallPart } from '../../protocol/messages.ts'
import { dataUrl } from '../bytes.ts'
import type { UserPiece } from '../history.ts'
import type { ModelRequest } from '../provider.ts'

type Blobs = Pick<ModelRequest, 'bytes'>

/** The pieces of a user message of which some are media; text where they all turn out to be text. */
export async function mediaContent(pieces: readonly UserPiece[], blobs: Blobs): Promise<JsonValue> {
  const content: JsonObject[] = []
  for (const piece of pieces) {
    const media = piece.type === 'media' && (await mediaPiece(piece.part, blobs))
    content.push(media || { type: 'text', text: piece.text })
  }
  return content.every((piece) => piece.type === 'text') ? content.map((piece) => piece.text).join('\n') : content
}

/** An image or file as this API takes it; undefined for what it takes only as text. */
async function mediaPiece(part: ImagePart | FilePart, blobs: Blobs): Promise<JsonObject | undefined> {
  const isImage = part.type === 'image' || part.mediaType.startsWith('image/')
  if (isImage && part.url !== undefined) return imagePiece(part.url)
  if (part.blob === undefined) return undefined
  if (isImage) return imagePiece(dataUrl(part.mediaType, await blobs.bytes(part.blob)))
  if (part.mediaType !== 'application/pdf') return undefined
  const file_data = dataUrl(part.mediaType, await blobs.bytes(part.blob))
  return { type: 'file', file: { filename: part.name ?? 'document.pdf', file_data } }
}

/**
 * The answers to calls of which some gave images. Tool messages hold only text, and nothing may come between them: the
 * images follow in a user message behind them all.
 */
export async function withImages(
  answers: readonly (JsonObject & { readonly content: string })[],
  calls: readonly ToolCallPart[],
  blobs: Blobs,
): Promise<JsonObject[]> {
  const told: JsonObject[] = []
  const content: JsonObject[] = []
  for (const [index, answer] of answers.entries()) {
    const { toolName = '', result } = calls[index] ?? {}
    const images = result?.images ?? []
    if (images.length === 0) {
      told.push(answer)
      continue
    }
    const note = images.length === 1 ? '(An image follows below)' : `(${images.length} images follow below)`
    told.push({ ...answer, content: `${answer.content}\n${note}` })
    content.push({ type: 'text', text: `Images from the tool ${toolName}, in the order of its output:` })
    for (const { mediaType, blob } of images) content.push(imagePiece(dataUrl(mediaType, await blobs.bytes(blob))))
  }
  return [...told, { role: 'user', content }]
}

function imagePiece(url: string): JsonObject {
  return { type: 'image_url', image_url: { url } }
}
