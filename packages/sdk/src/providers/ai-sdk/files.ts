import { normaliseText } from '../../protocol/json.ts'
import type { BlobRef, FilePart, ImagePart } from '../../protocol/messages.ts'
import { userPartText } from '../../protocol/text.ts'
import { isBlank } from '../history.ts'
import type { ModelEvent, ModelRequest } from '../provider.ts'
import type { Warning } from '../wire-tools.ts'
import type { FileContent, UserContent } from './call-options.ts'
import type { Dialect } from './dialect.ts'
import type { SupportedUrls } from './model.ts'
import type { GeneratedFile } from './stream-part.ts'

/** What kinds of files a model is sent as such; the others it is told by name. */
export type SentMedia = 'all' | 'images'

export interface FileContext {
  readonly dialect: Dialect
  readonly urls: SupportedUrls
  readonly media: SentMedia
  readonly bytes: ModelRequest['bytes']
  warn(warning: Warning): void
}

/** Images, PDFs, sound and film as such, other text as text; the rest only by name. */
export async function userFile(part: ImagePart | FilePart, context: FileContext): Promise<UserContent> {
  const { mediaType, blob, url, name } = part
  const filename = name !== undefined && { filename: normaliseText(name) }
  if (blob !== undefined && mediaType.startsWith('text/')) {
    const text = new TextDecoder().decode(await context.bytes(blob))
    return named(part, text)
  }
  if (!isSent(mediaType, context.media)) {
    if (context.media === 'images') context.warn(omitted(part, 'the model does not take such files'))
    return named(part)
  }
  if (blob !== undefined) return { ...(await storedFile(blob, mediaType, context)), ...filename }
  const address = url !== undefined && URL.canParse(url) ? new URL(url) : undefined
  if (address?.protocol === 'data:') {
    const data = dataOf(address)
    if (data !== undefined) return { type: 'file', mediaType, data: context.dialect.bytes(data), ...filename }
  }
  if (address === undefined || !fetches(context.urls, address.href, mediaType)) {
    context.warn(omitted(part, 'the model fetches nothing from there. Attach its bytes'))
    return named(part)
  }
  return { type: 'file', mediaType, data: context.dialect.url(address), ...filename }
}

export async function storedFile(blob: BlobRef, mediaType: string, { dialect, bytes }: FileContext) {
  return { type: 'file', mediaType, data: dialect.bytes(await bytes(blob)) } as const satisfies FileContent
}

function isSent(mediaType: string, media: SentMedia): boolean {
  if (mediaType.startsWith('image/')) return true
  return media === 'all' && (mediaType === 'application/pdf' || /^(audio|video)\//.test(mediaType))
}

function named(part: ImagePart | FilePart, text = ''): UserContent {
  const told = isBlank(text) ? userPartText(part) : `${userPartText(part)}\n${text}`
  return { type: 'text', text: normaliseText(told) }
}

function omitted(part: ImagePart | FilePart, why: string): Warning {
  return {
    type: 'warning',
    code: 'ai-sdk.file-omitted',
    message: `${userPartText(part)} was told only by name: ${why}`,
  }
}

/** Whether the model says that it fetches this address itself. */
function fetches(urls: SupportedUrls, address: string, mediaType: string): boolean {
  return Object.entries(urls).some(([type, patterns]) => {
    const prefix = type === '*' ? '' : type.toLowerCase().replace(/\*.*$/, '')
    return mediaType.toLowerCase().startsWith(prefix) && patterns.some((pattern) => pattern.test(address.toLowerCase()))
  })
}

function dataOf({ href }: URL): Uint8Array | undefined {
  const [, payload] = /^data:[^,]*;base64,(.*)$/s.exec(href) ?? []
  return payload === undefined ? undefined : decoded(payload)
}

/** A file of a reply. One that is only an address is said to be there. */
export function generatedFile({
  mediaType,
  data: given,
}: GeneratedFile): Extract<ModelEvent, { type: 'file' | 'warning' }> {
  const data =
    typeof given === 'string' || given instanceof Uint8Array ? given : given.type === 'data' ? given.data : given
  const bytes = typeof data === 'string' ? decoded(data) : data instanceof Uint8Array ? data : undefined
  if (bytes !== undefined) return { type: 'file', mediaType, bytes }
  const where = typeof data === 'object' && 'url' in data ? ` It is at ${data.url.href}` : ''
  return {
    type: 'warning',
    code: 'ai-sdk.file-omitted',
    message: `A file of the reply came without its bytes.${where}`,
  }
}

/** Undefined for what is no base64. */
function decoded(data: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}
