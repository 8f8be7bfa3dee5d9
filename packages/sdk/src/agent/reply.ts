import type { DeltaEvent, EventDraft } from '../protocol/events.ts'
import { type JsonObject, type JsonValue, normalise } from '../protocol/json.ts'
import type { AssistantMessage, AssistantPart, FilePart, SourcePart, ToolCallPart } from '../protocol/messages.ts'
import type { Usage } from '../protocol/usage.ts'
import type { ModelEvent } from '../providers/provider.ts'
import { parseInput } from './parse-input.ts'

type DeltaDraft = Extract<EventDraft, { type: DeltaEvent['type'] }>

interface OpenPart {
  readonly type: 'text' | 'reasoning' | 'tool-input'
  /** UTF-16 units sequenced so far. */
  length: number
  /** The first half of a surrogate pair whose second half has not come yet. */
  held: string
  callId: string
  toolName: string
  providerCallId?: string
  executed?: 'provider'
  /** A call's input text, for parsing it once it is complete. */
  inputText: string
  input?: JsonObject
  ended: boolean
  output?: JsonValue
  state?: JsonValue
}

/** A call whose input is complete. */
export interface CompleteCall {
  readonly callId: string
  readonly toolName: string
  readonly input?: JsonObject
  readonly inputText?: string
}

export interface ReplyFile {
  readonly mediaType: string
  readonly bytes: Uint8Array
  readonly name?: string
}

/** One reply as it comes in: turns the provider's events into deltas, and at its end into the whole message. */
export class Reply {
  readonly files: ReplyFile[] = []
  readonly warnings: { readonly code: string; readonly message: string }[] = []
  done: Extract<ModelEvent, { type: 'done' }> | undefined
  /** What the provider reported so far. */
  usage: Usage | undefined
  #parts: OpenPart[] = []
  #sources: SourcePart[] = []
  #state: JsonValue | undefined
  readonly #runId: string
  readonly #mintCallId: () => string

  constructor(runId: string, mintCallId: () => string) {
    this.#runId = runId
    this.#mintCallId = mintCallId
  }

  /**
   * Takes what one read brought. Gives the deltas to show, one for each part that gained without a break; `onCall` hears
   * of calls whose input is complete.
   */
  take(events: readonly ModelEvent[], onCall: (call: CompleteCall) => void): DeltaDraft[] {
    const drafts: DeltaDraft[] = []
    for (const event of events) {
      switch (event.type) {
        case 'text':
        case 'reasoning':
          this.#grow(event, drafts)
          break
        case 'tool-input':
          this.#growInput(event, drafts)
          break
        case 'tool-input-end': {
          const part = this.#parts[event.part]
          if (part !== undefined && !part.ended) {
            this.#end(part, event.input)
            if (part.executed === undefined) onCall(complete(part))
          }
          break
        }
        case 'tool-output': {
          const part = this.#parts[event.part]
          if (part !== undefined) part.output = event.output
          break
        }
        case 'source':
          this.#sources.push({ type: 'source', ...event.source })
          break
        case 'file':
          this.files.push(event)
          break
        case 'state': {
          if (event.part === undefined) {
            this.#state = event.state
          } else {
            const part = this.#parts[event.part]
            if (part !== undefined) part.state = event.state
          }
          break
        }
        case 'usage':
          this.usage = event.usage
          break
        case 'warning':
          this.warnings.push(event)
          break
        case 'done':
          this.done = event
          this.usage = event.usage ?? this.usage
          break
      }
    }
    return drafts
  }

  /** Whether it brought files or warnings. */
  get hasExtras(): boolean {
    return this.files.length + this.warnings.length > 0
  }

  /** UTF-16 units of everything said, for estimates. */
  get length(): number {
    return this.#parts.reduce((length, part) => length + part.length, 0)
  }

  /**
   * The whole message: the parts as they were shown, completed by what only the end tells. Undefined when the model said
   * nothing: a message without content is never made. A partial one carries no opaque state.
   */
  message(pending: AssistantMessage, files: readonly FilePart[], partial: boolean): AssistantMessage | undefined {
    const shown = pending.parts.map((part, index) => this.#complete(part, this.#parts[index] as OpenPart, partial))
    const parts = [...shown, ...this.#sources, ...files]
    if (parts.every(isEmpty) && this.#state === undefined) return undefined
    return {
      ...pending,
      parts,
      ...(partial && { partial: true as const }),
      ...(!partial && this.#state !== undefined && { providerState: this.#state }),
    }
  }

  #complete(part: AssistantPart, open: OpenPart, partial: boolean): AssistantPart {
    const state = !partial && open.state !== undefined ? { providerState: open.state } : {}
    if (part.type !== 'tool-call') return { ...part, ...state }
    if (!open.ended) this.#end(open)
    const call: ToolCallPart = {
      type: 'tool-call',
      callId: open.callId,
      toolName: open.toolName,
      ...(open.input ? { input: open.input } : { inputText: open.inputText }),
      ...(open.executed && { executed: open.executed }),
      ...(open.providerCallId !== undefined && { providerCallId: open.providerCallId }),
      ...(open.output !== undefined && { output: open.output }),
      ...state,
      state: open.executed ? 'done' : 'ready',
    }
    return call
  }

  #end(part: OpenPart, input?: JsonObject): void {
    part.ended = true
    const parsed = input ?? parseInput(part.inputText)
    if (parsed !== undefined) part.input = normalise(parsed) as JsonObject
  }

  #grow(event: Extract<ModelEvent, { type: 'text' | 'reasoning' }>, drafts: DeltaDraft[]): void {
    let part = this.#parts[event.part]
    if (part === undefined) part = this.#open(event.type)
    else if (event.text === '') return
    const { text, from } = advance(part, event.text)
    if (text === '' && from > 0) return
    const type = event.type === 'text' ? 'text-delta' : 'reasoning-delta'
    const last = adjoining(drafts, type, event.part)
    if (last !== undefined) last.text += text
    else drafts.push({ type, runId: this.#runId, part: event.part, from, text })
  }

  #growInput(event: Extract<ModelEvent, { type: 'tool-input' }>, drafts: DeltaDraft[]): void {
    let part = this.#parts[event.part]
    const opens = part === undefined
    part ??= this.#open('tool-input')
    if (event.id !== undefined) part.providerCallId ??= event.id
    if (event.executed !== undefined) part.executed = event.executed
    const named = event.name !== undefined && part.toolName === ''
    if (named) part.toolName = event.name as string
    const { text, from } = advance(part, event.text)
    part.inputText += text
    if (text === '' && !opens && !named) return
    const last = named ? undefined : adjoining(drafts, 'tool-input-delta', event.part)
    if (last !== undefined) {
      last.text += text
      return
    }
    drafts.push({
      type: 'tool-input-delta',
      runId: this.#runId,
      part: event.part,
      from,
      text,
      callId: part.callId,
      ...(named && { toolName: part.toolName }),
      ...(opens && part.executed && { executed: part.executed }),
    })
  }

  #open(type: OpenPart['type']): OpenPart {
    const callId = type === 'tool-input' ? this.#mintCallId() : ''
    const part: OpenPart = { type, length: 0, held: '', callId, toolName: '', inputText: '', ended: false }
    this.#parts.push(part)
    return part
  }
}

/** The last draft, when it is of this part: it can grow, for nobody has seen it yet. */
function adjoining(
  drafts: readonly DeltaDraft[],
  type: DeltaDraft['type'],
  part: number,
): { text: string } | undefined {
  const last = drafts.at(-1)
  return last?.type === type && last.part === part ? last : undefined
}

/** Text never ends with half a surrogate pair: the first half waits for the second. */
function advance(part: OpenPart, text: string): { text: string; from: number } {
  const whole = part.held === '' ? text : part.held + text
  const last = whole.charCodeAt(whole.length - 1)
  const splits = last >= 0xd800 && last <= 0xdbff
  part.held = splits ? whole.slice(-1) : ''
  const shown = splits ? whole.slice(0, -1) : whole
  const from = part.length
  part.length += shown.length
  return { text: shown, from }
}

function complete(part: OpenPart): CompleteCall {
  return {
    callId: part.callId,
    toolName: part.toolName,
    ...(part.input ? { input: part.input } : { inputText: part.inputText }),
  }
}

function isEmpty(part: AssistantPart): boolean {
  return (part.type === 'text' || part.type === 'reasoning') && part.text === '' && part.providerState === undefined
}
