import type { FilePart, ImagePart, Message, ToolCallPart } from '../../protocol/messages.ts'
import { userPartText } from '../../protocol/text.ts'
import { base64 } from '../bytes.ts'
import { answerText, isBlank, ourCalls, userPieces } from '../history.ts'
import type { Target } from '../http-provider.ts'
import type { ModelRequest } from '../provider.ts'
import type { WireHistory } from '../wire-history.ts'
import { CALL_IDS, wireIds } from '../wire-ids.ts'
import type { WireNames } from '../wire-names.ts'
import { type AssistantContext, assistantBlocks, type Block } from './assistant.ts'

export type WireMessage = {
  readonly role: 'user' | 'assistant'
  readonly content: readonly Block[]
}

const IMAGES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']

export interface MessagesContext {
  readonly target: Target
  readonly names: WireNames
  readonly history: WireHistory<WireMessage>
}

/** The history as the API wants it: roles in turns, starting with the user, each call answered by the next message. */
export async function wireMessages(
  request: ModelRequest,
  { target, names, history }: MessagesContext,
): Promise<WireMessage[]> {
  const context = { target, names, idOf: wireIds(CALL_IDS) }
  const turns = await history.of(request.messages, context, async (message): Promise<WireMessage[]> => {
    if (message.role !== 'assistant') return [{ role: 'user', content: await userBlocks(message, request) }]
    const results = ourCalls(message).map((call) => toolResult(call, request, context))
    return [
      { role: 'assistant', content: assistantBlocks(message, context) },
      { role: 'user', content: await Promise.all(results) },
    ]
  })
  return merged(withoutUnanswered(turns.filter(({ content }) => content.length > 0)))
}

/** Neighbours of one role become one message, their texts separate blocks. */
function merged(turns: readonly WireMessage[]): WireMessage[] {
  const messages: WireMessage[] = []
  for (const { role, content } of turns) {
    const last = messages.at(-1)
    if (last?.role === role) messages[messages.length - 1] = { role, content: [...last.content, ...content] }
    else messages.push({ role, content })
  }
  const last = messages.at(-1)
  if (last?.role === 'assistant') messages[messages.length - 1] = trimmed(last)
  if (messages[0]?.role === 'assistant')
    messages.unshift({ role: 'user', content: [text('(earlier messages left out)')] })
  return messages
}

/** A request may end with the beginning of the reply, but not in white space. */
function trimmed({ role, content }: WireMessage): WireMessage {
  const block = content.at(-1)
  if (block?.type !== 'text') return { role, content }
  return { role, content: [...content.slice(0, -1), { ...block, text: String(block.text).trimEnd() }] }
}

async function userBlocks(message: Exclude<Message, { role: 'assistant' }>, request: ModelRequest): Promise<Block[]> {
  if (message.role === 'note') return message.toModel && !isBlank(message.text) ? [text(message.text)] : []
  return Promise.all(
    userPieces(message).map((piece) => (piece.type === 'text' ? text(piece.text) : mediaBlock(piece.part, request))),
  )
}

/** Images and PDFs as such, other text as a document; the rest only by name. */
async function mediaBlock(part: ImagePart | FilePart, request: ModelRequest): Promise<Block> {
  const { mediaType, blob, url, name } = part
  const image = IMAGES.includes(mediaType) || (url !== undefined && mediaType.startsWith('image/'))
  const pdf = mediaType === 'application/pdf'
  const plain = mediaType.startsWith('text/')
  const title = !image && name !== undefined && { title: name }
  if ((image || pdf) && url !== undefined) {
    return { type: image ? 'image' : 'document', source: { type: 'url', url }, ...title }
  }
  if (blob === undefined || !(image || pdf || plain)) return text(userPartText(part))
  const bytes = await request.bytes(blob)
  if (plain) {
    const data = new TextDecoder().decode(bytes)
    if (isBlank(data)) return text(userPartText(part))
    return { type: 'document', source: { type: 'text', media_type: 'text/plain', data }, ...title }
  }
  const source = { type: 'base64', media_type: mediaType, data: base64(bytes) }
  return { type: image ? 'image' : 'document', source, ...title }
}

async function toolResult(call: ToolCallPart, request: ModelRequest, context: AssistantContext): Promise<Block> {
  const { result } = call
  const images = (result?.images ?? []).filter(({ mediaType }) => IMAGES.includes(mediaType))
  const pictures = images.map(async ({ mediaType, blob }): Promise<Block> => {
    const source = { type: 'base64', media_type: mediaType, data: base64(await request.bytes(blob)) }
    return { type: 'image', source }
  })
  const silent = images.length > 0 && typeof result?.output === 'string' && isBlank(result.output)
  return {
    type: 'tool_result',
    tool_use_id: context.idOf(call),
    content: [...(silent ? [] : [text(answerText(call))]), ...(await Promise.all(pictures))],
    ...(result?.outcome !== 'ok' && { is_error: true }),
  }
}

/**
 * A provider's own call without its result is only valid while the reply goes on: in the last reply, with nothing after
 * it but our answers. Elsewhere it goes, as does a result whose call is gone.
 */
function withoutUnanswered(turns: readonly WireMessage[]): WireMessage[] {
  const called = new Set<unknown>()
  const answered = new Set<unknown>()
  for (const block of turns.flatMap(({ content }) => content)) {
    if (isServerUse(block)) called.add(block.id)
    else if (isServerResult(block)) answered.add(block.tool_use_id)
  }
  const open = turns.findLastIndex(({ content }) => content.some(({ type }) => type !== 'tool_result'))
  return turns
    .map(({ role, content }, index) => {
      const kept = content.filter((block) => {
        if (isServerUse(block)) return answered.has(block.id) || index === open
        return !isServerResult(block) || called.has(block.tool_use_id)
      })
      return { role, content: kept }
    })
    .filter(({ content }) => content.length > 0)
}

function isServerUse(block: Block): boolean {
  return block.type === 'server_tool_use' || block.type === 'mcp_tool_use'
}

function isServerResult(block: Block): boolean {
  return block.type !== 'tool_result' && block.tool_use_id !== undefined
}

function text(value: string): Block {
  return { type: 'text', text: value }
}
