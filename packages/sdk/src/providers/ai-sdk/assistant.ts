import { type JsonValue, normalise, normaliseText } from '../../protocol/json.ts'
import type { AssistantMessage, ToolCallPart } from '../../protocol/messages.ts'
import { isBlank, isOurs, sameModel } from '../history.ts'
import type { Target } from '../http-provider.ts'
import type { CallWords } from '../wire-history.ts'
import type { AssistantContent, ToolOutput } from './call-options.ts'
import { type FileContext, storedFile } from './files.ts'
import { type Beside, besideParts, partState } from './state.ts'
import type { ProviderMetadata } from './stream-part.ts'

export interface AssistantContext extends CallWords, FileContext {
  readonly target: Target
  /** Whether the request holds both a provider's own call and its result, or may yet get the result. */
  isPaired(callId: string): boolean
}

/**
 * A reply in the order it came. Thoughts, files and calls that the provider ran go back to the very model they came
 * from, and to no other. A thought at the end led to nothing, which APIs refuse.
 */
export async function assistantContent(
  message: AssistantMessage,
  context: AssistantContext,
): Promise<readonly AssistantContent[]> {
  const own = sameModel(message, context.target)
  const beside = own ? [...besideParts(message.providerState)] : []
  const content: AssistantContent[] = []
  const insert = async (before: number): Promise<void> => {
    while (beside[0] !== undefined && beside[0].after <= before) {
      content.push(...(await placed(beside.shift() as Beside, message, context)))
    }
  }
  for (const [index, part] of message.parts.entries()) {
    await insert(index)
    const { metadata, shown } = own && 'providerState' in part ? partState(part.providerState) : {}
    const options = optionsOf(metadata)
    if (part.type === 'text' || (part.type === 'reasoning' && own)) {
      if (!isBlank(part.text) || metadata) content.push({ type: part.type, text: normaliseText(part.text), ...options })
    } else if (part.type === 'tool-call' && isOurs(part)) {
      const { names, idOf } = context
      const toolName = names.toWire(part.toolName)
      content.push({ type: 'tool-call', toolCallId: idOf(part), toolName, input: inputOf(part), ...options })
    } else if (part.type === 'tool-call' && own && !shown && context.isPaired(ownId(part))) {
      const { toolName } = part
      const call = { type: 'tool-call', toolCallId: ownId(part), toolName, input: inputOf(part) } as const
      content.push({ ...call, providerExecuted: true, ...options })
    }
  }
  await insert(Number.POSITIVE_INFINITY)
  while (content.at(-1)?.type === 'reasoning') content.pop()
  return content
}

async function placed(
  entry: Beside,
  message: AssistantMessage,
  context: AssistantContext,
): Promise<readonly AssistantContent[]> {
  const options = optionsOf(entry.metadata)
  if (entry.type === 'custom') return [{ type: 'custom', kind: entry.kind, ...options }]
  if (entry.type === 'result') {
    const call = answeredCall(message, entry)
    if (call === undefined || !context.isPaired(ownId(call))) return []
    const output = outputOf(call.output, entry.isError ?? false)
    return [{ type: 'tool-result', toolCallId: ownId(call), toolName: call.toolName, output, ...options }]
  }
  const { blob, mediaType = '' } = message.parts.filter((part) => part.type === 'file')[entry.file] ?? {}
  return blob === undefined ? [] : [{ ...(await storedFile(blob, mediaType, context)), type: entry.type, ...options }]
}

/** The call that a provider ran, of a result that came. */
export function answeredCall(
  { parts }: AssistantMessage,
  entry: Beside,
): (ToolCallPart & { readonly output: JsonValue }) | undefined {
  const call = entry.type === 'result' ? parts[entry.part] : undefined
  if (call?.type !== 'tool-call' || call.executed === undefined || call.output === undefined) return undefined
  return { ...call, output: call.output }
}

/** A provider knows its own calls by its own ids. */
export function ownId({ providerCallId, callId }: ToolCallPart): string {
  return providerCallId ?? callId
}

function inputOf({ input = {} }: ToolCallPart) {
  return normalise(input) as typeof input
}

function outputOf(output: JsonValue, isError: boolean): ToolOutput {
  if (typeof output === 'string') return { type: isError ? 'error-text' : 'text', value: output }
  return { type: isError ? 'error-json' : 'json', value: output }
}

function optionsOf(metadata: ProviderMetadata | undefined): { readonly providerOptions?: ProviderMetadata } {
  return metadata === undefined ? {} : { providerOptions: metadata }
}
