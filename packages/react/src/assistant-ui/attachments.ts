import { type AttachmentAdapter, type CompleteAttachment, type CreateAttachment, generateId } from '@assistant-ui/react'
import type { BytesPart, UserPart } from '@stepwell/sdk'
import { toBase64, toDataUrl } from './data-urls.ts'
import { type BlobUrl, contentOf } from './user-part.ts'

/** A part of a person's message that is not text. */
export type AttachedPart = Exclude<UserPart | BytesPart, { type: 'text' }>

/** What a message has, and what a composer takes back. */
type SentAttachment = CompleteAttachment & CreateAttachment

const OWN_PART = 'stepwell-part'

/** Any file: what a model takes is for the agent to know. The bytes become a blob of the session when they are sent. */
export const fileAttachments: AttachmentAdapter = {
  accept: '*',
  async add({ file }) {
    const status = { type: 'requires-action', reason: 'composer-send' } as const
    return { id: generateId(), type: kindOf(file.type), name: file.name, contentType: typeOf(file), file, status }
  },
  async send(attachment) {
    const { file } = attachment
    const bytes = new Uint8Array(await file.arrayBuffer())
    const mimeType = typeOf(file)
    const content =
      kindOf(mimeType) === 'image'
        ? ({ type: 'image', image: toDataUrl(bytes, mimeType), filename: file.name } as const)
        : ({ type: 'file', data: toBase64(bytes), mimeType, filename: file.name } as const)
    return { ...attachment, status: { type: 'complete' }, content: [content] }
  },
  async remove() {},
}

/** A part of a message that is not text. What it shows may be nothing; what it is goes with it, for sending it once more. */
export function attachmentOf(part: AttachedPart, id: string, blobUrl: BlobUrl): SentAttachment {
  const own = { type: 'data', name: OWN_PART, data: part } as const
  const status = { type: 'complete' } as const
  if (part.type === 'session') {
    return { id, type: 'document', name: part.title ?? part.sessionId, status, content: [own] }
  }
  const { type, mediaType, name = type } = part
  const kind = type === 'image' ? 'image' : 'document'
  return { id, type: kind, name, contentType: mediaType, status, content: [...contentOf(part, blobUrl), own] }
}

/** The part it was made of, where it was made of one. */
export function partOf({ content }: CompleteAttachment): AttachedPart | undefined {
  const own = content.find((part) => part.type === 'data' && part.name === OWN_PART)
  return own?.type === 'data' ? own.data : undefined
}

export function isAttached(part: UserPart | BytesPart): part is AttachedPart {
  return part.type !== 'text'
}

function typeOf({ type }: File): string {
  return type === '' ? 'application/octet-stream' : type
}

function kindOf(mediaType: string): 'image' | 'document' {
  return mediaType.startsWith('image/') ? 'image' : 'document'
}
