import * as z from 'zod/mini'

/** An id as a client may name one: 1 to 256 characters, none of them a control character. */
export const idSchema = z.string().check(
  z.minLength(1),
  z.maxLength(256),
  z.regex(/^\P{Cc}+$/u),
  z.refine((id) => id.isWellFormed(), 'Half of a surrogate pair'),
)

export const jsonObject = z.record(z.string(), z.unknown())

const blobRef = z.object({
  sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
  size: z.int().check(z.nonnegative()),
})

const text = z.object({ type: z.literal('text'), text: z.string() })
const image = z.object({
  type: z.literal('image'),
  mediaType: z.string(),
  blob: z.optional(blobRef),
  url: z.optional(z.url({ protocol: /^https?$/ })),
  name: z.optional(z.string()),
})
const file = z.object({
  type: z.literal('file'),
  mediaType: z.string(),
  name: z.optional(z.string()),
  path: z.optional(z.string()),
  blob: z.optional(blobRef),
  url: z.optional(z.url({ protocol: /^https?$/ })),
  text: z.optional(z.string()),
})
const session = z.object({
  type: z.literal('session'),
  sessionId: idSchema,
  title: z.optional(z.string()),
  text: z.optional(z.string()),
})

/** What a person may say. A model's opaque state has no place in it, and is dropped. */
export const userParts = z.array(z.discriminatedUnion('type', [text, image, file, session])).check(z.minLength(1))

const reasoning = z.object({ type: z.literal('reasoning'), text: z.string() })
const source = z.object({
  type: z.literal('source'),
  sourceId: z.string(),
  url: z.optional(z.string()),
  title: z.optional(z.string()),
})
const result = z.object({
  callId: z.string(),
  toolName: z.string(),
  outcome: z.enum(['ok', 'error', 'denied', 'aborted', 'timeout', 'unknown', 'skipped']),
  output: z.unknown(),
  durationMs: z.number(),
})
const toolCall = z.object({
  type: z.literal('tool-call'),
  callId: z.string(),
  toolName: z.string(),
  input: z.optional(jsonObject),
  state: z.literal('done'),
  result: z.optional(result),
})

const userMessage = z.object({ role: z.literal('user'), id: idSchema, at: z.number(), parts: userParts })
const assistantMessage = z.object({
  role: z.literal('assistant'),
  id: idSchema,
  at: z.number(),
  parts: z.array(z.discriminatedUnion('type', [text, reasoning, toolCall, source, file])),
})

/** What a session may begin with: what people and models said. Notes are written by the agent alone. */
export const importedMessages = z
  .array(z.discriminatedUnion('role', [userMessage, assistantMessage]))
  .check(z.maxLength(10_000))
