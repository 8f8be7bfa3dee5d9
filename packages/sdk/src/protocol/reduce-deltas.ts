import { type AgentEvent, type DeltaEvent, isDelta } from './events.ts'
import { defined } from './fields.ts'
import type { AssistantPart } from './messages.ts'
import type { Draft } from './state.ts'

/** What a delta can change of a part. */
interface GrowingPart {
  text?: string
  inputText?: string
  toolName?: string
}

/** Applies the deltas from `start` up to the next other event, copying each changed thing once. Returns the last index. */
export function applyDeltas(draft: Draft, events: readonly AgentEvent[], start: number): number {
  const { message } = draft.pending
  let parts = message?.parts as AssistantPart[]
  let own: GrowingPart | undefined
  let i = start
  for (; i < events.length; i++) {
    const delta = events[i] as AgentEvent
    if (!isDelta(delta)) break
    if (delta.seq <= draft.seq) continue
    draft.seq = delta.seq
    if (message === undefined) continue
    const known = parts[delta.part]
    if (known === undefined && delta.part !== parts.length) continue
    const part = (known ?? opened(delta)) as GrowingPart
    const isInput = delta.type === 'tool-input-delta'
    const key = isInput ? 'inputText' : 'text'
    const have = part[key]
    if (have === undefined || delta.from > have.length) continue
    const gained = delta.text.slice(have.length - delta.from)
    const toolName = isInput && part.toolName === '' && delta.toolName
    if (known && !gained && !toolName) continue
    if (part !== own) {
      own = { ...part }
      if (parts === message.parts) parts = parts.slice()
      parts[delta.part] = own as AssistantPart
    }
    own[key] = have + gained
    if (toolName) own.toolName = toolName
  }
  if (message && parts !== message.parts) draft.pending = { ...draft.pending, message: { ...message, parts } }
  return i - 1
}

function opened(delta: DeltaEvent): AssistantPart {
  if (delta.type !== 'tool-input-delta') {
    return { type: delta.type === 'text-delta' ? 'text' : 'reasoning', text: '' }
  }
  const { callId, toolName = '', executed } = delta
  return defined({ type: 'tool-call', callId, toolName, inputText: '', state: 'streaming', executed })
}
