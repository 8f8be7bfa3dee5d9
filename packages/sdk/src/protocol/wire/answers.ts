import * as z from 'zod/mini'
import { jsonObject } from './parts.ts'

// For readers of the description only: a server checks what it is sent, not what it says.

export const errorSchema = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    retryable: z.boolean(),
    details: z.optional(z.unknown()),
  }),
})

const rowSchema = z.object({
  id: z.string(),
  title: z.optional(z.string()),
  principal: z.optional(z.string()),
  tenant: z.optional(z.string()),
  profile: z.optional(z.string()),
  parent: z.optional(z.string()),
  metadata: z.optional(jsonObject),
  archived: z.optional(z.boolean()),
  createdAt: z.number(),
  updatedAt: z.number(),
  head: z.int(),
  openRun: z.optional(z.string()),
  parked: z.optional(z.boolean()),
  wakeAt: z.optional(z.number()),
})

const receiptSchema = z.object({
  commandId: z.string(),
  status: z.enum(['accepted', 'started', 'steered', 'queued', 'returned', 'done', 'refused']),
  inputId: z.optional(z.string()),
  runId: z.optional(z.string()),
  messageId: z.optional(z.string()),
  seq: z.optional(z.int()),
  returned: z.optional(z.array(jsonObject)),
  error: z.optional(errorSchema.shape.error),
})

export const healthAnswer = z.object({ status: z.literal('ok') })
export const capabilitiesAnswer = z.object({
  protocol: z.int(),
  uploads: z.object({ maxBytes: z.int(), mediaTypes: z.optional(z.array(z.string())) }),
  expose: z.array(z.string()),
  commands: z.array(z.string()),
})
export const sessionAnswer = z.object({ session: rowSchema })
export const sessionsAnswer = z.object({ items: z.array(rowSchema), next: z.optional(z.string()) })
export const snapshotAnswer = z.object({
  row: rowSchema,
  seq: z.int(),
  state: jsonObject,
  before: z.optional(z.string()),
})
export const messagesAnswer = z.object({ messages: z.array(jsonObject), before: z.optional(z.string()) })
export const receiptAnswer = z.object({ receipt: receiptSchema })
export const blobAnswer = z.object({
  blob: z.object({ sha256: z.string(), size: z.int() }),
  mediaType: z.string(),
  name: z.optional(z.string()),
})
export const frameSchema = z.union([
  z.object({
    session: z.optional(z.string()),
    prev: z.int(),
    head: z.int(),
    events: z.array(jsonObject),
    fault: z.optional(errorSchema.shape.error),
  }),
  z.object({ session: z.optional(z.string()), resync: z.literal(true), head: z.int() }),
  z.object({ session: z.optional(z.string()), gone: z.object({ code: z.string(), message: z.string() }) }),
  z.object({ reconnect: z.int() }),
])
