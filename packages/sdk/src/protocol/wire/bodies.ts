import * as z from 'zod/mini'
import { idSchema, importedMessages, jsonObject } from './parts.ts'

const title = z.string().check(z.maxLength(1_000))

export const createSessionSchema = z.object({
  id: z.optional(idSchema),
  title: z.optional(title),
  profile: z.optional(title),
  metadata: z.optional(jsonObject),
  history: z.optional(importedMessages),
})

export const forkSchema = z.object({
  id: z.optional(idSchema),
  toMessageId: z.optional(z.string()),
  title: z.optional(title),
  metadata: z.optional(jsonObject),
})
