import type {
  AssistantMessage,
  AssistantPart,
  FilePart,
  ImagePart,
  SourcePart,
  ToolCallPart,
  ToolResult,
  UserMessage,
  UserPart,
} from '../../protocol/messages.ts'
import type { Resolved } from '../../protocol/requests.ts'
import type { SessionState } from '../../protocol/state.ts'
import type { FileUrl } from './file-url.ts'
import type { UIPart, UISourcePart, UIToolPart } from './ui-message.ts'

export interface PartsOptions {
  readonly state: Pick<SessionState, 'pending'>
  readonly fileUrl: FileUrl
}

export function userParts({ parts }: UserMessage, fileUrl: FileUrl): UIPart[] {
  return parts.flatMap((part) => userPart(part, fileUrl))
}

function userPart(part: UserPart, fileUrl: FileUrl): UIPart[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text }]
    case 'session': {
      const { sessionId, title } = part
      return [{ type: 'data-session', data: { sessionId, ...(title !== undefined && { title }) } }]
    }
    default:
      return filePart(part, fileUrl)
  }
}

/** A reply of one turn, which is a step of a UI message. `isWhole`: nothing is added to it any more. */
export function stepParts(message: AssistantMessage, isWhole: boolean, options: PartsOptions): UIPart[] {
  const last = message.parts.length - 1
  const parts = message.parts.flatMap((part, i) => assistantPart(part, { isWhole, isLast: i === last }, options))
  return [{ type: 'step-start' }, ...parts]
}

function assistantPart(
  part: AssistantPart,
  { isWhole, isLast }: { readonly isWhole: boolean; readonly isLast: boolean },
  options: PartsOptions,
): UIPart[] {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return [{ type: part.type, text: part.text, state: isWhole || !isLast ? 'done' : 'streaming' }]
    case 'tool-call':
      return [toolPart(part, isWhole, options)]
    case 'source':
      return [sourcePart(part)]
    case 'file':
      return filePart(part, options.fileUrl)
  }
}

function sourcePart({ sourceId, url, title }: SourcePart): UISourcePart {
  if (url === undefined) {
    return { type: 'source-document', sourceId, mediaType: 'text/plain', title: title ?? sourceId }
  }
  return { type: 'source-url', sourceId, url, ...(title !== undefined && { title }) }
}

/** Nothing, for a file that only the model's side can read. */
function filePart(part: FilePart | ImagePart, fileUrl: FileUrl): UIPart[] {
  const { mediaType, name, blob } = part
  const text = part.type === 'file' ? part.text : undefined
  const url =
    part.url ??
    (blob && fileUrl(blob)) ??
    (text === undefined ? undefined : `data:text/plain;charset=utf-8,${encodeURIComponent(text)}`)
  if (url === undefined) return []
  return [{ type: 'file', mediaType, ...(name !== undefined && { filename: name }), url }]
}

function toolPart(part: ToolCallPart, isWhole: boolean, { state }: PartsOptions): UIToolPart {
  const { callId: toolCallId, toolName, input, inputText = '', result } = part
  const tool = {
    type: `tool-${toolName}` as const,
    toolCallId,
    ...(part.executed === 'provider' && { providerExecuted: true }),
  }
  if (result !== undefined) return { ...tool, ...finished(part, result) }
  if (!isWhole || input === undefined) {
    return { ...tool, state: 'input-streaming', input: undefined, rawInput: inputText }
  }
  if (part.executed === 'provider' && part.output !== undefined) {
    return { ...tool, state: 'output-available', input, output: part.output }
  }
  const asked = state.pending.requests.findLast(
    ({ callId, kind }) => callId === toolCallId && (kind === 'approval' || kind === 'plan'),
  )
  if (asked !== undefined) return { ...tool, state: 'approval-requested', input, approval: { id: asked.id } }
  const answer = decided(state.pending.calls[toolCallId]?.resolved)
  if (answer !== undefined) return { ...tool, state: 'approval-responded', input, approval: answer }
  return { ...tool, state: 'input-available', input }
}

/** The last decision about a call that has no result yet. */
function decided(
  resolved: Readonly<Record<string, Resolved>> = {},
): { id: string; approved: boolean; reason?: string } | undefined {
  for (const [id, { resolution }] of Object.entries(resolved).reverse()) {
    const { decision, note } = resolution
    if (decision === undefined) continue
    const approved = decision.startsWith('allow') || decision === 'approve'
    return { id, approved, ...(note !== undefined && { reason: note }) }
  }
  return undefined
}

type Finished<P = UIToolPart> = P extends { state: `output-${string}` }
  ? Omit<P, 'type' | 'toolCallId' | 'providerExecuted'>
  : never

function finished({ callId, input, inputText = '' }: ToolCallPart, result: ToolResult): Finished {
  const { outcome, output, metadata } = result
  const errorText = typeof output === 'string' ? output : JSON.stringify(output)
  if (input === undefined) return { state: 'output-error', input, rawInput: inputText, errorText }
  if (outcome === 'ok' || outcome === 'skipped') return { state: 'output-available', input, output }
  // A rule denied it and nobody was asked: there is no approval to show.
  if (outcome === 'denied' && metadata?.permission === undefined) {
    return { state: 'output-denied', input, approval: { id: `req_${callId}`, approved: false } }
  }
  return { state: 'output-error', input, errorText }
}
