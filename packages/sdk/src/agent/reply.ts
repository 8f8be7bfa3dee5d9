import type { DeltaEvent, EventDraft } from '../protocol/events.ts'
import { defined } from '../protocol/fields.ts'
import { type JsonObject, type JsonValue, normalise } from '../protocol/json.ts'
import type { AssistantMessage, AssistantPart, FilePart, SourcePart } from '../protocol/messages.ts'
import type { Usage } from '../protocol/usage.ts'
import type { ModelEvent } from '../providers/provider.ts'
import { parseInput } from './parse-input.ts'

type DeltaDraft = Extract<EventDraft, { type: DeltaEvent['type'] }>
type Growth = Extract<ModelEvent, { type: 'text' | 'reasoning' | 'tool-input' }>

/** A delta as it is put together; what is of a call alone comes last. */
interface Delta extends Partial<Pick<OpenPart, 'callId' | 'toolName'>> {
  readonly type: DeltaEvent['type']
  readonly runId: string
  readonly part: number
  readonly from: number
  text: string
  executed?: 'provider'
}

/** The delta that a read still adds to. It is joined once, for a rope of thousands of tokens is a burden to keep. */
interface Growing {
  readonly part: OpenPart
  readonly delta: Delta
  readonly pieces: string[]
}

interface OpenPart {
  /** What was sequenced of it so far. */
  text: string
  /** The first half of a surrogate pair whose second half has not come yet. */
  held: string
  /** Of a call, as is everything below but `state`. */
  callId: string
  toolName: string
  providerCallId?: string | undefined
  executed?: 'provider' | undefined
  /** Its text as an object, once it is complete. */
  input?: JsonObject
  ended?: true
  output?: JsonValue
  state?: JsonValue
}

/** A call whose input is complete. */
interface CompleteCall {
  readonly callId: string
  readonly toolName: string
  readonly input?: JsonObject
  readonly inputText?: string
}

interface ReplyFile {
  readonly mediaType: string
  readonly bytes: Uint8Array
  readonly name?: string
}

/** One reply as it comes in: turns the provider's events into deltas, and at its end into the whole message. */
export interface Reply {
  readonly files: ReplyFile[]
  readonly warnings: { readonly code: string; readonly message: string }[]
  readonly done: Extract<ModelEvent, { type: 'done' }> | undefined
  /** What the provider reported so far. */
  readonly usage: Usage | undefined
  /** UTF-16 units of everything said, for estimates. */
  readonly length: number
  /**
   * Takes what one read brought. Gives the deltas to show, one for each part that gained without a break; `onCall` hears
   * of calls whose input is complete.
   */
  take(events: readonly ModelEvent[], onCall: (call: CompleteCall) => void): DeltaDraft[]
  /**
   * The whole message: the parts as they were shown, completed by what only the end tells. Undefined when the model said
   * nothing: a message without content is never made. A partial one carries no opaque state.
   */
  message(pending: AssistantMessage, files: readonly FilePart[], partial: boolean): AssistantMessage | undefined
}

const DELTA = { text: 'text-delta', reasoning: 'reasoning-delta', 'tool-input': 'tool-input-delta' } as const

export function createReply(runId: string, mintCallId: () => string): Reply {
  const parts: OpenPart[] = []
  const sources: SourcePart[] = []
  const files: ReplyFile[] = []
  const warnings: Reply['warnings'] = []
  let state: JsonValue | undefined
  let done: Reply['done']
  let usage: Usage | undefined
  let growing: Growing | undefined

  function take(event: ModelEvent, drafts: DeltaDraft[], onCall: (call: CompleteCall) => void): void {
    const part = 'part' in event && event.part !== undefined ? parts[event.part] : undefined
    switch (event.type) {
      case 'text':
      case 'reasoning':
      case 'tool-input':
        return grow(event, part, drafts)
      case 'tool-input-end':
        if (part === undefined || part.ended) return
        join()
        end(part, event.input)
        if (part.executed === undefined) onCall(callOf(part))
        return
      case 'tool-output':
        if (part !== undefined) part.output = event.output
        return
      case 'state':
        if (event.part === undefined) state = event.state
        else if (part !== undefined) part.state = event.state
        return
      case 'source':
        sources.push({ type: 'source', ...event.source })
        return
      case 'file':
        files.push(event)
        return
      case 'warning':
        warnings.push(event)
        return
      case 'usage':
        usage = event.usage
        return
      case 'done':
        done = event
        usage = event.usage ?? usage
    }
  }

  function grow(event: Growth, known: OpenPart | undefined, drafts: DeltaDraft[]): void {
    const { type, part: index } = event
    const isCall = type === 'tool-input'
    const part: OpenPart = known ?? { text: '', held: '', callId: isCall ? mintCallId() : '', toolName: '' }
    if (known === undefined) parts.push(part)
    let isNamed = false
    if (isCall) {
      part.providerCallId ??= event.id
      part.executed = event.executed ?? part.executed
      isNamed = event.name !== undefined && part.toolName === ''
      if (isNamed) part.toolName = event.name as string
    }
    const text = whole(part, event.text)
    if (text === '' && known !== undefined && !isNamed) return
    if (!isNamed && growing?.part === part && growing.delta.type === DELTA[type]) {
      growing.pieces.push(text)
      return
    }
    join()
    const delta: Delta = { type: DELTA[type], runId, part: index, from: part.text.length, text }
    if (isCall) {
      delta.callId = part.callId
      if (isNamed) delta.toolName = part.toolName
      if (known === undefined && part.executed) delta.executed = part.executed
    }
    drafts.push(delta as DeltaDraft)
    growing = { part, delta, pieces: [text] }
  }

  function join(): void {
    if (growing === undefined) return
    const { part, delta, pieces } = growing
    delta.text = pieces.join('')
    part.text += delta.text
    growing = undefined
  }

  function completed(part: AssistantPart, open: OpenPart, partial: boolean): AssistantPart {
    const opaque = defined({ providerState: partial ? undefined : open.state })
    if (part.type !== 'tool-call') return { ...part, ...opaque }
    if (!open.ended) end(open)
    const { providerCallId, executed, output } = open
    const more = defined({ executed, providerCallId, output })
    return { type: 'tool-call', ...callOf(open), ...more, ...opaque, state: executed ? 'done' : 'ready' }
  }

  return {
    files,
    warnings,
    get done() {
      return done
    },
    get usage() {
      return usage
    },
    get length() {
      return parts.reduce((length, { text }) => length + text.length, 0)
    },
    take(events, onCall) {
      const drafts: DeltaDraft[] = []
      for (const event of events) take(event, drafts, onCall)
      join()
      return drafts
    },
    message(pending, stored, partial) {
      const shown = pending.parts.map((part, index) => completed(part, parts[index] as OpenPart, partial))
      const all = [...shown, ...sources, ...stored]
      if (all.every(isEmpty) && state === undefined) return undefined
      const whole = { ...pending, parts: all }
      if (partial) return { ...whole, partial }
      return state === undefined ? whole : { ...whole, providerState: state }
    },
  }
}

/** Text never ends with half a surrogate pair: the first half waits for the second. */
function whole(part: OpenPart, more: string): string {
  const text = part.held + more
  const last = text.charCodeAt(text.length - 1)
  part.held = last >= 0xd800 && last <= 0xdbff ? text.slice(-1) : ''
  return part.held === '' ? text : text.slice(0, -1)
}

function end(part: OpenPart, input?: JsonObject): void {
  part.ended = true
  const parsed = input ?? parseInput(part.text)
  if (parsed !== undefined) part.input = normalise(parsed) as JsonObject
}

function callOf({ callId, toolName, input, text }: OpenPart): CompleteCall {
  return { callId, toolName, ...(input ? { input } : { inputText: text }) }
}

function isEmpty(part: AssistantPart): boolean {
  return (part.type === 'text' || part.type === 'reasoning') && part.text === '' && part.providerState === undefined
}
