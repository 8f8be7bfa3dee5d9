import type { ThreadUserMessagePart } from '@assistant-ui/react'
import type { BlobRef, BytesPart, FilePart, ImagePart } from '@stepwell/sdk'
import { toBase64, toDataUrl } from './data-urls.ts'

/** Where the page finds a blob of the session. */
export type BlobUrl = (blob: BlobRef) => string | undefined

/** What assistant-ui shows of an image or a file: nothing where there is no address of it. */
export function contentOf(part: ImagePart | FilePart | BytesPart, blobUrl: BlobUrl): ThreadUserMessagePart[] {
  const { type, mediaType } = part
  const filename = part.name !== undefined && { filename: part.name }
  if ('bytes' in part) {
    if (type === 'image') return [{ type, image: toDataUrl(part.bytes, mediaType), ...filename }]
    return [{ type, data: toBase64(part.bytes), mimeType: mediaType, ...filename }]
  }
  if (part.type === 'file' && part.text !== undefined) return [{ type: 'text', text: part.text }]
  const url = urlOf(part, blobUrl)
  if (url === undefined) return []
  if (type === 'image') return [{ type, image: url, ...filename }]
  return [{ type, data: url, sourceType: 'url', mimeType: mediaType, ...filename }]
}

export function urlOf({ url, blob }: ImagePart | FilePart, blobUrl: BlobUrl): string | undefined {
  return url ?? (blob && blobUrl(blob))
}
