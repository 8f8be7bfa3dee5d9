import { isObject, type JsonObject, type JsonValue } from '../../protocol/json.ts'
import { parsed } from '../../protocol/parsed.ts'
import { frameObject, type SseFrame, textOf } from '../frames.ts'
import type { ModelEvent } from '../provider.ts'
import { ReportedFailure } from '../reported-failure.ts'
import { type Translator, WINDOW_EXCEEDED } from '../translated.ts'
import type { WireNames } from '../wire-names.ts'
import { nameOfResult, outputOf, sourcesOf } from './server-results.ts'
import type { PartState } from './state.ts'
import { laterUsage, messagesUsage } from './usage.ts'

type Wire = Record<string, unknown>
type Done = Extract<ModelEvent, { type: 'done' }>

const STOPS: Readonly<Record<string, Done['stop']>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool-calls',
  max_tokens: 'length',
  [WINDOW_EXCEEDED]: 'length',
  refusal: 'content-filter',
  pause_turn: 'pause',
}

/** A content block that is still growing. */
interface Block {
  readonly start: Wire
  /** Absent while it has no part: an empty text never gets one. */
  part?: number
  /** A tool's input or a thought's signature so far. */
  text: string
  citations?: JsonValue[]
}

interface ServerCall {
  readonly part: number
  readonly use?: JsonObject
}

/** The event stream of the Messages API. */
export class MessagesStream implements Translator {
  readonly #provider: string
  readonly #names: WireNames
  readonly #blocks: (Block | undefined)[] = []
  readonly #serverCalls = new Map<string, ServerCall>()
  #parts = 0
  #results = 0
  #sources = 0
  #id = ''
  #model: string | undefined
  #stop: string | undefined
  #usage: Readonly<Wire> = {}

  constructor(provider: string, names: WireNames) {
    this.#provider = provider
    this.#names = names
  }

  push(frame: SseFrame, events: ModelEvent[]): void {
    const event = frameObject(frame, this.#provider)
    if (event === undefined) return
    // Most frames first.
    switch (event.type) {
      case 'content_block_delta':
        return this.#grow(this.#blocks[event.index as number], event.delta as Wire | undefined, events)
      case 'content_block_start':
        return this.#start(event.index as number, event.content_block, events)
      case 'content_block_stop':
        return this.#complete(this.#blocks[event.index as number], events)
      case 'message_start':
        return this.#open(event.message, events)
      case 'message_delta':
        return this.#close(event, events)
      case 'message_stop':
        return this.#finish(events)
      case 'error':
        throw new ReportedFailure(this.#provider, event.error, this.#parts > 0)
    }
  }

  /** With a stop reason the reply is whole, whether or not its last frame came. */
  end(events: ModelEvent[]): void {
    if (this.#stop !== undefined) this.#finish(events)
  }

  #open(message: unknown, events: ModelEvent[]): void {
    if (!isObject(message)) return
    if (typeof message.id === 'string') this.#id = message.id
    if (typeof message.model === 'string') this.#model = message.model
    this.#usage = laterUsage(this.#usage, message.usage)
    // The output so far is a placeholder.
    const { outputTokens: _, ...prompt } = messagesUsage(this.#usage, false)
    if (prompt.inputTokens !== undefined) events.push({ type: 'usage', usage: prompt })
  }

  #start(index: number, start: unknown, events: ModelEvent[]): void {
    if (!isObject(start)) return
    const block: Block = { start, text: '' }
    switch (start.type) {
      case 'text':
        if (Array.isArray(start.citations)) for (const citation of start.citations) this.#cite(block, citation, events)
        this.#say(block, start.text, events)
        break
      case 'thinking':
        block.text = typeof start.signature === 'string' ? start.signature : ''
        events.push({ type: 'reasoning', part: this.#partOf(block), text: textOf(start.thinking) })
        break
      case 'redacted_thinking': {
        const part = this.#partOf(block)
        events.push({ type: 'reasoning', part, text: '' }, state(part, { redacted: textOf(start.data) }))
        break
      }
      case 'tool_use':
        events.push({
          type: 'tool-input',
          part: this.#partOf(block),
          id: textOf(start.id),
          name: this.#names.fromWire(textOf(start.name)),
          text: '',
        })
        break
      case 'server_tool_use':
      case 'mcp_tool_use':
        events.push({
          type: 'tool-input',
          part: this.#partOf(block),
          id: textOf(start.id),
          name: textOf(start.name),
          text: '',
          executed: 'provider',
        })
        break
      default:
        if (typeof start.tool_use_id === 'string') this.#answer(start.tool_use_id, start as JsonObject, events)
        return
    }
    this.#blocks[index] = block
  }

  #grow(block: Block | undefined, delta: Wire | undefined, events: ModelEvent[]): void {
    if (block === undefined || delta === undefined) return
    switch (delta.type) {
      case 'text_delta':
        return this.#say(block, delta.text, events)
      case 'input_json_delta': {
        const text = delta.partial_json
        if (typeof text !== 'string' || text === '') return
        block.text += text
        events.push({ type: 'tool-input', part: this.#partOf(block), text })
        return
      }
      case 'thinking_delta':
        if (delta.thinking) events.push({ type: 'reasoning', part: this.#partOf(block), text: textOf(delta.thinking) })
        return
      case 'signature_delta':
        block.text += textOf(delta.signature)
        return
      case 'citations_delta':
        return this.#cite(block, delta.citation, events)
    }
  }

  #complete(block: Block | undefined, events: ModelEvent[]): void {
    const part = block?.part
    if (block === undefined || part === undefined) return
    const { start } = block
    switch (start.type) {
      case 'text':
        if (block.citations) events.push(state(part, { citations: block.citations }))
        return
      case 'thinking':
        if (block.text !== '') events.push(state(part, { signature: block.text }))
        return
      case 'tool_use':
        this.#completeInput(block, part, events)
        if (start.caller !== undefined) events.push(state(part, { caller: start.caller as JsonValue }))
        return
      case 'server_tool_use':
      case 'mcp_tool_use': {
        this.#completeInput(block, part, events)
        const use = { ...start, input: inputOf(block) } as JsonObject
        this.#serverCalls.set(textOf(start.id), { part, use })
        events.push(state(part, { use }))
        return
      }
    }
  }

  /** Some endpoints give the whole input with the block's start, and no delta. */
  #completeInput(block: Block, part: number, events: ModelEvent[]): void {
    if (block.text !== '') {
      events.push({ type: 'tool-input-end', part })
      return
    }
    const input = inputOf(block)
    events.push({ type: 'tool-input', part, text: JSON.stringify(input) }, { type: 'tool-input-end', part, input })
  }

  #answer(callId: string, result: JsonObject, events: ModelEvent[]): void {
    const call = this.#serverCalls.get(callId) ?? this.#resume(callId, result, events)
    events.push(
      { type: 'tool-output', part: call.part, output: outputOf(result) },
      state(call.part, { ...(call.use && { use: call.use }), result, after: this.#parts, nth: this.#results++ }),
    )
    for (const source of sourcesOf(result)) this.#source(source, events)
  }

  /** After a pause the result comes in a later reply than its call, and gets a part of its own. */
  #resume(callId: string, result: JsonObject, events: ModelEvent[]): ServerCall {
    const part = this.#parts++
    events.push(
      { type: 'tool-input', part, id: callId, name: nameOfResult(result), text: '{}', executed: 'provider' },
      { type: 'tool-input-end', part, input: {} },
    )
    return { part }
  }

  #say(block: Block, text: unknown, events: ModelEvent[]): void {
    if (typeof text !== 'string' || text === '') return
    events.push({ type: 'text', part: this.#partOf(block), text })
  }

  #cite(block: Block, citation: unknown, events: ModelEvent[]): void {
    if (!isObject(citation)) return
    block.citations = [...(block.citations ?? []), citation as JsonObject]
    this.#source(citation, events)
  }

  #source(from: Wire, events: ModelEvent[]): void {
    const title = textOf(from.title ?? from.document_title)
    const source = {
      sourceId: `${this.#id}:${this.#sources++}`,
      ...(typeof from.url === 'string' && { url: from.url }),
      ...(title !== '' && { title }),
    }
    events.push({ type: 'source', source })
  }

  #close(event: Wire, events: ModelEvent[]): void {
    this.#usage = laterUsage(this.#usage, event.usage)
    const delta = event.delta
    if (!isObject(delta)) return
    if (typeof delta.stop_reason === 'string') this.#stop = delta.stop_reason
    if (isObject(delta.stop_details) && typeof delta.stop_details.explanation === 'string') {
      events.push({ type: 'warning', code: 'provider.refusal', message: delta.stop_details.explanation })
    }
  }

  #finish(events: ModelEvent[]): void {
    events.push({
      type: 'done',
      stop: STOPS[this.#stop ?? ''] ?? 'unknown',
      ...(this.#stop !== undefined && { rawStop: this.#stop }),
      usage: messagesUsage(this.#usage, this.#parts > 0),
      ...(this.#model !== undefined && { model: this.#model }),
    })
  }

  #partOf(block: Block): number {
    block.part ??= this.#parts++
    return block.part
  }
}

function state(part: number, value: PartState): ModelEvent {
  return { type: 'state', part, state: value as JsonValue }
}

function inputOf({ text, start }: Block): JsonObject {
  const input = text === '' ? start.input : parsed(text)
  return isObject(input) ? (input as JsonObject) : {}
}
