import * as z from 'zod/mini'
import { idSchema, jsonObject } from '../../protocol/wire/parts.ts'

/** What `DefaultChatTransport` posts. Of its messages the last one counts, and the answers in them; not what they tell. */
export const postSchema = z.object({
  id: idSchema,
  trigger: z.enum(['submit-message', 'regenerate-message']),
  messageId: z.optional(z.nullable(z.string())),
  messages: z
    .array(
      z.object({
        id: z.string(),
        role: z.enum(['system', 'user', 'assistant']),
        parts: z.array(jsonObject),
      }),
    )
    .check(z.minLength(1)),
})

export type Post = z.infer<typeof postSchema>
export type PostedMessage = Post['messages'][number]

/** Answers name their calls. A page posts them with all it knows of the call. */
const toolPart = z.object({
  type: z.string().check(z.startsWith('tool-')),
  toolCallId: z.string(),
  state: z.string(),
})
export type PostedTool = z.infer<typeof toolPart> & Readonly<Record<string, unknown>>

/** The calls in what the page has, the last form of each. */
export function postedTools(messages: readonly PostedMessage[]): PostedTool[] {
  const tools = new Map<string, PostedTool>()
  for (const { role, parts } of messages) {
    if (role !== 'assistant') continue
    for (const part of parts) if (isToolPart(part)) tools.set(part.toolCallId, part)
  }
  return [...tools.values()]
}

function isToolPart(part: Readonly<Record<string, unknown>>): part is PostedTool {
  return z.safeParse(toolPart, part).success
}
