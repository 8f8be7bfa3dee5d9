import type { ThreadMessageLike } from '@assistant-ui/react'
import type { AssistantPart, FilePart, SourcePart, ToolCallPart } from '@stepwell/sdk'
import { approvalOf } from './approvals.ts'
import type { OpenCalls, ReplyEntry } from './transcript.ts'
import { type BlobUrl, urlOf } from './user-part.ts'

export type ContentPart = Exclude<ThreadMessageLike['content'], string>[number]
type CallArgs = NonNullable<Extract<ContentPart, { type: 'tool-call' }>['args']>

/** Converts a reply. Parts that are the same as before cost a look. */
export function replyParts(blobUrl: BlobUrl): (entry: ReplyEntry) => readonly ContentPart[] {
  const known = new WeakMap<AssistantPart, ContentPart>()

  function convert(part: AssistantPart, open: OpenCalls | undefined): ContentPart {
    if (part.type === 'tool-call' && part.result === undefined && open !== undefined) return callPart(part, open)
    const before = known.get(part)
    if (before !== undefined) return before
    const converted = contentPart(part, blobUrl)
    known.set(part, converted)
    return converted
  }

  return ({ messages, open }) => messages.flatMap(({ parts }) => parts.map((part) => convert(part, open)))
}

function contentPart(part: AssistantPart, blobUrl: BlobUrl): ContentPart {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return { type: part.type, text: part.text }
    case 'tool-call':
      return callPart(part)
    case 'source':
      return sourcePart(part)
    case 'file':
      return filePart(part, blobUrl)
    default:
      return unknownPart(part)
  }
}

/** Of a later version. */
function unknownPart(part: { readonly type: string }): ContentPart {
  return { type: 'data', name: part.type, data: part }
}

function callPart(part: ToolCallPart, open?: OpenCalls): ContentPart {
  const { callId, toolName, input, inputText } = part
  const args = input as CallArgs | undefined
  return {
    type: 'tool-call',
    toolCallId: callId,
    toolName,
    ...(args && { args }),
    argsText: inputText ?? (input === undefined ? '' : JSON.stringify(input)),
    ...resultOf(part),
    ...(open && openOf(callId, open)),
  }
}

function resultOf({ result, output }: ToolCallPart) {
  if (result !== undefined) {
    return { result: result.output, isError: result.outcome !== 'ok', artifact: result }
  }
  return output === undefined ? {} : { result: output }
}

function openOf(callId: string, { requests, live }: OpenCalls) {
  const request = requests.find((item) => item.request.callId === callId)?.request
  const approval = request && approvalOf(request)
  const printed = Object.hasOwn(live, callId) ? live[callId]?.output : undefined
  return {
    ...(approval && { approval }),
    ...(printed !== undefined && printed !== '' && { result: printed, isPreliminary: true }),
  }
}

function sourcePart({ sourceId: id, url, title }: SourcePart): ContentPart {
  if (url !== undefined) return { type: 'source', sourceType: 'url', id, url, ...(title !== undefined && { title }) }
  const mediaType = 'application/octet-stream'
  return { type: 'source', sourceType: 'document', id, title: title ?? id, mediaType }
}

function filePart(part: FilePart, blobUrl: BlobUrl): ContentPart {
  const { mediaType, name } = part
  const filename = name !== undefined && { filename: name }
  const url = urlOf(part, blobUrl)
  if (url === undefined) return unknownPart(part)
  // assistant-ui drops images of any other address, with a warning.
  if (mediaType.startsWith('image/') && /^(https:|blob:|data:image\/)/i.test(url)) {
    return { type: 'image', image: url, ...filename }
  }
  return { type: 'file', data: url, sourceType: 'url', mimeType: mediaType, ...filename }
}
