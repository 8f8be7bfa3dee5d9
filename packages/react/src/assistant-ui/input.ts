import type { AppendMessage, ThreadUserMessagePart } from '@assistant-ui/react'
import type { BytesPart, InputContent, UserPart } from '@stepwell/sdk'
import { ConfigError } from '@stepwell/sdk/view'
import { partOf } from './attachments.ts'
import { fromBase64, fromDataUrl } from './data-urls.ts'

type InputPart = UserPart | BytesPart

/** What was written, as an input. Throws for what no person says. */
export function inputOf({ role, content, attachments = [] }: AppendMessage): InputContent {
  if (role !== 'user') throw new ConfigError('config.invalid', `A session takes messages of people, not of ${role}.`)
  const written = content.flatMap((part) => inputPart(part as ThreadUserMessagePart))
  const parts = [...written, ...attachments.flatMap((one) => partOf(one) ?? one.content.flatMap(inputPart))]
  const [only] = parts
  return parts.length === 1 && only?.type === 'text' ? only.text : parts
}

function inputPart(part: ThreadUserMessagePart): InputPart | readonly InputPart[] {
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? [] : { type: 'text', text: part.text }
    case 'image':
      return bytesOrUrl('image', part.image, 'image/*', part.filename)
    case 'file': {
      const { data, mimeType, filename } = part
      const isUrl = part.sourceType === 'url' || /^(https?|data):/i.test(data)
      if (isUrl) return bytesOrUrl('file', data, mimeType, filename)
      return { type: 'file', mediaType: mimeType, bytes: fromBase64(data), ...(filename && { name: filename }) }
    }
    case 'audio':
      return { type: 'file', mediaType: `audio/${part.audio.format}`, bytes: fromBase64(part.audio.data) }
    case 'data':
      return []
  }
}

function bytesOrUrl(type: 'image' | 'file', url: string, mediaType: string, name: string | undefined): InputPart {
  const named = name !== undefined && name !== '' && { name }
  const inline = fromDataUrl(url)
  if (inline !== undefined) return { type, ...inline, ...named }
  return type === 'image' ? { type, mediaType, url, ...named } : { type, mediaType, url, ...named }
}
