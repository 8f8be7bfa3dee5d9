import * as z from 'zod/mini'
import { storedInput } from '../../agent/input-content.ts'
import { InputError, WireError } from '../../protocol/errors.ts'
import type { BlobRef, UserPart } from '../../protocol/messages.ts'
import type { BytesPart } from '../../protocol/session.ts'
import type { SessionState } from '../../protocol/state.ts'
import { takesMediaType } from '../server/blobs.ts'
import { badRequest } from '../server/errors.ts'
import type { ServerSettings } from '../server/options.ts'
import { blobPath } from './file-url.ts'
import type { PostedMessage } from './post.ts'

const textPart = z.object({ type: z.literal('text'), text: z.string() })
const filePart = z.object({
  type: z.literal('file'),
  mediaType: z.string().check(z.regex(/^[^/\s]+\/[^/\s]+$/), z.maxLength(256)),
  filename: z.optional(z.string().check(z.maxLength(256))),
  url: z.string(),
})
type PostedFile = z.infer<typeof filePart>

/** What a person says, with its attachments in the session's store. What is neither text nor file is of the page alone. */
export async function postedParts(
  { parts }: PostedMessage,
  sessionId: string,
  state: SessionState,
  settings: ServerSettings,
): Promise<UserPart[]> {
  const given = parts.flatMap((part): (UserPart | BytesPart)[] => {
    if (part.type === 'text') return [read(textPart, part)]
    if (part.type === 'file') return [attached(read(filePart, part), sessionId, state, settings)]
    return []
  })
  return storedInput(given, sessionId, { store: settings.host.runtime.store, ready: Promise.resolve() })
}

function read<T>(schema: z.ZodMiniType<T>, part: Readonly<Record<string, unknown>>): T {
  const result = z.safeParse(schema, part)
  if (result.success) return result.data
  throw badRequest(`A ${String(part.type)} part does not have the form it should have.`)
}

function attached(
  { mediaType, filename, url }: PostedFile,
  sessionId: string,
  state: SessionState,
  { uploads, basePath }: ServerSettings,
): UserPart | BytesPart {
  const { maxBytes, mediaTypes } = uploads
  if (!takesMediaType(mediaType, mediaTypes)) {
    throw new WireError('wire.content-type', `Files of the type "${mediaType}" are not taken.`)
  }
  const name = filename === undefined ? {} : { name: filename.toWellFormed() }
  const kind = mediaType.startsWith('image/') ? ({ type: 'image' } as const) : ({ type: 'file' } as const)
  const part = { ...kind, mediaType, ...name }
  if (url.startsWith('data:')) return { ...part, bytes: dataUrlBytes(url, maxBytes) }
  const known = knownBlob(url, blobPath(basePath, sessionId), state)
  if (known !== undefined) return { ...part, blob: known }
  if (!/^https?:/i.test(url) || !URL.canParse(url))
    throw badRequest('A file is a data URL, an http(s) address, or of this chat.')
  return { ...part, url }
}

/** An attachment that is here already, of a message that is sent again. */
function knownBlob(url: string, path: string, { history }: SessionState): BlobRef | undefined {
  if (!url.startsWith(path)) return undefined
  const sha256 = url.slice(path.length)
  for (const message of history) {
    if (message.role !== 'user') continue
    for (const part of message.parts) if ('blob' in part && part.blob?.sha256 === sha256) return part.blob
  }
  return undefined
}

function dataUrlBytes(url: string, maxBytes: number): Uint8Array {
  const comma = url.indexOf(',')
  const isBase64 = url.slice(0, comma).endsWith(';base64')
  let bytes: Uint8Array
  try {
    if (comma === -1) throw new TypeError('no comma')
    const data = decodeURIComponent(url.slice(comma + 1))
    bytes = isBase64 ? Uint8Array.from(atob(data), (char) => char.charCodeAt(0)) : new TextEncoder().encode(data)
  } catch {
    throw badRequest('This data URL cannot be read.')
  }
  if (bytes.length === 0) throw badRequest('There are no bytes in this file.')
  if (bytes.length > maxBytes) {
    throw new InputError('input.too-large', `The file has more than ${maxBytes} bytes.`, { details: { maxBytes } })
  }
  return bytes
}
