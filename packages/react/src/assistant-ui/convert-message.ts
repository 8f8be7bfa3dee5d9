import type { ThreadMessageLike } from '@assistant-ui/react'
import type { NoteMessage, UserMessage } from '@stepwell/sdk'
import { attachmentOf, isAttached } from './attachments.ts'
import { type ContentPart, replyParts } from './reply-part.ts'
import { type Entry, isReply, type PlainEntry, type ReplyEntry } from './transcript.ts'
import type { BlobUrl } from './user-part.ts'

/**
 * assistant-ui asks once for each entry, and keeps the answer as long as the entry is the same object. It never throws:
 * what assistant-ui has no part for becomes a data part named after our type.
 */
export function messageConverter(blobUrl: BlobUrl): (entry: Entry) => ThreadMessageLike {
  const partsOf = replyParts(blobUrl)
  return (entry) => {
    if (isReply(entry)) return assistantMessage(entry, partsOf(entry))
    const { message } = entry
    return message.role === 'note' ? systemMessage(message) : userMessage(entry, message, blobUrl)
  }
}

function assistantMessage(
  { id, at, status, messages }: ReplyEntry,
  content: readonly ContentPart[],
): ThreadMessageLike {
  const { runId, model } = messages.at(-1) ?? {}
  const custom = { ...(runId !== undefined && { runId }), ...(model && { model }) }
  return { role: 'assistant', id, createdAt: new Date(at), status, content, metadata: { custom } }
}

function userMessage({ status, error }: PlainEntry, message: UserMessage, blobUrl: BlobUrl): ThreadMessageLike {
  const content = message.parts.flatMap((part) => (part.type === 'text' ? { type: part.type, text: part.text } : []))
  const attachments = message.parts.flatMap((part, i) =>
    isAttached(part) ? attachmentOf(part, `${message.id}/${i}`, blobUrl) : [],
  )
  const custom = { status, ...(error && { error }) }
  const createdAt = new Date(message.at)
  return { role: 'user', id: message.id, createdAt, content, attachments, metadata: { custom } }
}

/** assistant-ui has no notes. Its system messages show nothing unless the page has a component for them. */
function systemMessage({ id, at, text, kind }: NoteMessage): ThreadMessageLike {
  const content = [{ type: 'text', text }] as const
  return { role: 'system', id, createdAt: new Date(at), content, metadata: { custom: { kind } } }
}
