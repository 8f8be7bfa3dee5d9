import * as z from 'zod/mini'
import type { JsonObject } from '../../protocol/json.ts'
import type { UserPart } from '../../protocol/messages.ts'
import type { BytesPart, InputContent } from '../../protocol/session.ts'
import { idSchema } from '../../protocol/wire/parts.ts'
import { checked } from '../server/body.ts'
import { badRequest } from '../server/errors.ts'
import { type ClientMessage, ClientTranscript, type UserContent } from './client-transcript.ts'
import type { Dialect } from './events.ts'
import type { ResumeEntry } from './interrupts.ts'

/** What a client posts to run. Its state, tools, context and whatever else it sends are not taken. */
export interface RunInput {
  readonly threadId: string
  readonly runId: string
  readonly dialect: Dialect
  readonly transcript: ClientTranscript
  readonly resume: readonly ResumeEntry[]
}

const inputSchema = z.object({
  threadId: z.string(),
  runId: z.string(),
  protocolVersion: z.optional(z.string()),
  messages: z.array(
    z.object({
      id: z.string(),
      role: z.string(),
      content: z.optional(z.unknown()),
      toolCallId: z.optional(z.string()),
      error: z.optional(z.string()),
      toolCalls: z.optional(z.unknown()),
    }),
  ),
  resume: z.optional(
    z.array(
      z.object({
        interruptId: z.string(),
        status: z.enum(['resolved', 'cancelled']),
        payload: z.optional(z.unknown()),
      }),
    ),
  ),
})

/** Throws `wire.bad-request` for what no client of AG-UI sends. */
export function runInput(body: JsonObject): RunInput {
  const given = checked(inputSchema, body) as unknown as {
    threadId: string
    runId: string
    protocolVersion?: string
    messages: readonly ClientMessage[]
    resume?: readonly ResumeEntry[]
  }
  const { threadId, runId, protocolVersion, messages, resume = [] } = given
  return {
    threadId,
    runId,
    // Clients of before do not say; what comes after 1.0 is to take what 1.0 does.
    dialect: protocolVersion === undefined ? '0' : '1.0',
    transcript: new ClientTranscript(messages),
    resume,
  }
}

/** What a person says, as an input with the message's id takes it. Throws `wire.bad-request`. */
export function inputContent(id: string, content: UserContent): InputContent {
  if (!z.safeParse(idSchema, id).success) {
    throw badRequest('The id of a message has 1 to 256 characters, and no control characters.')
  }
  if (typeof content === 'string') return content
  return content.map((part) => {
    // Whatever the client sent is in there.
    const given = checked(partSchema, part as JsonObject) as unknown as TextPart | Attachment
    return given.type === 'text' ? given : attachment(given)
  })
}

interface TextPart {
  readonly type: 'text'
  readonly text: string
}

const textSchema = z.object({ type: z.literal('text'), text: z.string() })
const attachmentSchema = z.object({
  type: z.enum(['image', 'audio', 'video', 'document', 'binary']),
  source: z.optional(z.object({ type: z.enum(['data', 'url']), value: z.string(), mimeType: z.optional(z.string()) })),
  mimeType: z.optional(z.string()),
  data: z.optional(z.string()),
  url: z.optional(z.string()),
  filename: z.optional(z.string()),
})

const partSchema = z.discriminatedUnion('type', [textSchema, attachmentSchema])

interface Attachment {
  readonly type: 'image' | 'audio' | 'video' | 'document' | 'binary'
  readonly source?: { readonly type: 'data' | 'url'; readonly value: string; readonly mimeType?: string }
  /** Of `binary`, which clients before 1.0 send. */
  readonly mimeType?: string
  readonly data?: string
  readonly url?: string
  readonly filename?: string
}

/** Where a client does not say what its attachment is. */
const MEDIA_TYPES = {
  image: 'image/*',
  audio: 'audio/*',
  video: 'video/*',
  document: 'application/octet-stream',
  binary: 'application/octet-stream',
} as const

function attachment({ type: kind, source, filename, ...legacy }: Attachment): UserPart | BytesPart {
  const mediaType = source?.mimeType ?? legacy.mimeType ?? MEDIA_TYPES[kind]
  const data = source === undefined ? legacy.data : source.type === 'data' ? source.value : undefined
  const url = source === undefined ? legacy.url : source.type === 'url' ? source.value : undefined
  const type = mediaType.startsWith('image/') ? 'image' : 'file'
  const name = filename === undefined ? {} : { name: filename }
  if (data !== undefined) return { type, mediaType, bytes: bytesOf(data), ...name }
  if (url === undefined || !/^https?:$/.test(URL.canParse(url) ? new URL(url).protocol : '')) {
    throw badRequest('An attachment has bytes as base64, or an address that begins with http.')
  }
  const linked = { mediaType, url, ...name }
  return type === 'image' ? { type, ...linked } : { type, ...linked }
}

function bytesOf(base64: string): Uint8Array {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    throw badRequest('The bytes of an attachment are no base64.')
  }
}
