import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/sdk/types.js'
import { ToolError } from '../protocol/errors.ts'
import { type ToolContentPart, toolContent } from '../tools/content.ts'
import type { ToolContext } from '../tools/tool.ts'

/**
 * What a server answered, as a tool returns it: text, images for the model, or the structured content where it is the
 * whole answer. What the model cannot read is presented to the person, and the model is told so.
 *
 * Throws `tool.failed` with the server's words where it reports a failure.
 */
export async function readResult(result: CallToolResult, ctx: ToolContext): Promise<unknown> {
  const { content, structuredContent, isError } = result
  if (structuredContent !== undefined && !isError && repeats(content, structuredContent)) return structuredContent
  const parts: ToolContentPart[] = []
  for (const block of content) parts.push(await readBlock(block, ctx))
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  if (isError) throw new ToolError('tool.failed', texts.join('\n') || 'the server does not say why')
  return texts.length === parts.length ? texts.join('\n') : toolContent(parts)
}

/** Nothing but the same as JSON, for clients that know no structured content. */
function repeats(content: readonly ContentBlock[], structured: unknown): boolean {
  const [only, second] = content
  if (only === undefined) return true
  if (second !== undefined || only.type !== 'text') return false
  try {
    // Key order and spacing may differ, so the text is read.
    return sameJson(JSON.parse(only.text), structured)
  } catch {
    return false
  }
}

function sameJson(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  const [keys, others] = [Object.entries(a), Object.entries(b)]
  if (Array.isArray(a) !== Array.isArray(b) || keys.length !== others.length) return false
  const theirs = new Map<string, unknown>(others)
  return keys.every(([key, value]) => theirs.has(key) && sameJson(value, theirs.get(key)))
}

async function readBlock(block: ContentBlock, ctx: ToolContext): Promise<ToolContentPart> {
  switch (block.type) {
    case 'text':
      return text(block.text)
    case 'image':
      return { type: 'image', mediaType: block.mimeType, bytes: bytesOf(block.data) }
    case 'audio':
      return present(`audio.${block.mimeType.split('/')[1] ?? 'bin'}`, block.mimeType, block.data, ctx)
    case 'resource_link': {
      const { uri, name, title = name, description, mimeType } = block
      const told = [title, ...(mimeType ? [mimeType] : []), ...(description ? [description] : [])].join(', ')
      return text(`[resource ${uri} (${told})]`)
    }
    case 'resource': {
      const { resource } = block
      const mediaType = resource.mimeType ?? 'application/octet-stream'
      if ('text' in resource) return text(`[resource ${resource.uri}]\n${resource.text}`)
      if (mediaType.startsWith('image/')) return { type: 'image', mediaType, bytes: bytesOf(resource.blob) }
      return present(nameIn(resource.uri), mediaType, resource.blob, ctx)
    }
  }
}

async function present(name: string, mediaType: string, data: string, ctx: ToolContext): Promise<ToolContentPart> {
  const { size } = await ctx.present({ name, mediaType, bytes: bytesOf(data) })
  return text(`[file ${name} (${mediaType}, ${size} bytes), given to the person]`)
}

function text(text: string): ToolContentPart {
  return { type: 'text', text }
}

function nameIn(uri: string): string {
  return (
    uri
      .split(/[?#]/)[0]
      ?.split('/')
      .findLast((part) => part !== '') ?? 'file'
  )
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
}
