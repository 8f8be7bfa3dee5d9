import { type AgentEvent, type DeltaEvent, isDelta } from './events.ts'
import type { AssistantMessage, AssistantPart, ToolCallPart } from './messages.ts'
import type { Draft } from './state.ts'

/** What a delta can change of a part that this batch has copied already. */
interface GrowingPart {
  text?: string
  inputText?: string
  toolName?: string
}

/** Applies the deltas from `start` up to the next other event, copying each changed thing once. Returns the last index. */
export function applyDeltas(draft: Draft, events: readonly AgentEvent[], start: number): number {
  const { message } = draft.pending
  let parts: AssistantPart[] | undefined
  let own: GrowingPart | undefined
  let last = start
  for (let i = start; i < events.length; i++) {
    const event = events[i] as AgentEvent
    if (!isDelta(event)) break
    last = i
    if (event.seq <= draft.seq) continue
    draft.seq = event.seq
    if (message === undefined) continue
    const part = (parts ?? message.parts)[event.part]
    if (part === undefined) {
      if (event.from !== 0 || event.part !== (parts ?? message.parts).length) continue
      parts ??= message.parts.slice()
      const opened = openPart(event)
      parts.push(opened)
      own = opened as GrowingPart
      continue
    }
    const key = event.type === 'tool-input-delta' ? 'inputText' : 'text'
    const have = (part as GrowingPart)[key]
    if (have === undefined || event.from > have.length) continue
    const gained = event.from + event.text.length - have.length
    const named =
      event.type === 'tool-input-delta' && event.toolName !== undefined && (part as ToolCallPart).toolName === ''
    if (gained <= 0 && !named) continue
    if (part !== own) {
      const copy = { ...part }
      parts ??= message.parts.slice()
      parts[event.part] = copy
      own = copy as GrowingPart
    }
    const growing = own as GrowingPart
    if (gained > 0) growing[key] = have + (gained === event.text.length ? event.text : event.text.slice(-gained))
    if (named) growing.toolName = event.toolName as string
  }
  if (parts !== undefined) {
    draft.pending = { ...draft.pending, message: { ...(message as AssistantMessage), parts } }
  }
  return last
}

function openPart(event: DeltaEvent): AssistantPart {
  if (event.type !== 'tool-input-delta') {
    return { type: event.type === 'text-delta' ? 'text' : 'reasoning', text: event.text }
  }
  return {
    type: 'tool-call',
    callId: event.callId,
    toolName: event.toolName ?? '',
    inputText: event.text,
    state: 'streaming',
    ...(event.executed && { executed: event.executed }),
  }
}
