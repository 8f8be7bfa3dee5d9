import type { JsonObject, JsonValue } from '../protocol/json.ts'
import type { AssistantMessage, AssistantPart, ModelRef, SourcePart, ToolResult } from '../protocol/messages.ts'
import type { ModelEvent } from '../providers/provider.ts'

/** What became of a call, by the id its provider gave it; calls without one stay unanswered. */
export type Answers = Readonly<Record<string, Partial<ToolResult>>>

/** The message an agent would keep of a reply: a provider's events, folded. */
export function replied(events: readonly ModelEvent[], model: ModelRef, answers: Answers = {}): AssistantMessage {
  const parts: Draft[] = []
  const sources: SourcePart[] = []
  let state: JsonValue | undefined
  for (const event of events) {
    if (event.type === 'source') sources.push({ type: 'source', ...event.source })
    if (event.type === 'state' && event.part === undefined) state = event.state
    if (!('part' in event) || event.part === undefined) continue
    parts[event.part] ??= { type: event.type, text: '' }
    const draft = parts[event.part] as Draft
    if (event.type === 'text' || event.type === 'reasoning' || event.type === 'tool-input') draft.text += event.text
    if (event.type === 'tool-input') Object.assign(draft, withoutText(event))
    if (event.type === 'tool-input-end') draft.input = event.input ?? (JSON.parse(draft.text || '{}') as JsonObject)
    if (event.type === 'tool-output') draft.output = event.output
    if (event.type === 'state') draft.state = event.state
  }
  return {
    role: 'assistant',
    id: 'reply',
    at: 0,
    model,
    parts: [...parts.map((draft, index) => partOf(draft, `c${index}`, answers)), ...sources],
    ...(state !== undefined && { providerState: state }),
  }
}

interface Draft {
  readonly type: string
  text: string
  id?: string
  name?: string
  executed?: 'provider'
  input?: JsonObject
  output?: JsonValue
  state?: JsonValue
}

function withoutText({ id, name, executed }: Extract<ModelEvent, { type: 'tool-input' }>): Partial<Draft> {
  return { ...(id !== undefined && { id }), ...(name !== undefined && { name }), ...(executed && { executed }) }
}

function partOf(draft: Draft, callId: string, answers: Answers): AssistantPart {
  const { text, id, name: toolName = '', executed, input, output, state } = draft
  const providerState = state !== undefined && { providerState: state }
  if (draft.type === 'text' || draft.type === 'reasoning') return { type: draft.type, text, ...providerState }
  const answer = answers[id ?? '']
  return {
    type: 'tool-call',
    callId,
    toolName,
    ...(input ? { input } : { inputText: text }),
    ...(executed && { executed }),
    ...(output !== undefined && { output }),
    ...(id !== undefined && { providerCallId: id }),
    ...providerState,
    state: 'done',
    ...(answer && { result: { callId, toolName, outcome: 'ok', output: '', durationMs: 0, ...answer } }),
  }
}
