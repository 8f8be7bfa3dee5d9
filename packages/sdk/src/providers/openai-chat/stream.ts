import type { JsonValue } from '../../protocol/json.ts'
import { frameObject, isObject, type SseFrame } from '../frames.ts'
import type { ModelEvent } from '../provider.ts'
import { ReportedFailure } from '../reported-failure.ts'
import { type Translator, WINDOW_EXCEEDED } from '../translated.ts'
import type { WireNames } from '../wire-names.ts'
import type { Quirks } from './quirks.ts'
import { ReasoningDetails } from './reasoning-details.ts'
import { ToolCalls } from './tool-calls.ts'
import { chatUsage } from './usage.ts'

type Wire = Readonly<Record<string, unknown>>
type Stop = Extract<ModelEvent, { type: 'done' }>['stop']

const STOPS: ReadonlyMap<string, Stop> = new Map([
  ['stop', 'stop'],
  ['end_turn', 'stop'],
  ['tool_calls', 'tool-calls'],
  ['function_call', 'tool-calls'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['model_length', 'length'],
  [WINDOW_EXCEEDED, 'length'],
  ['content_filter', 'content-filter'],
])

const NO_DELTA: Wire = {}

/** The stream of Chat Completions, in all its dialects. */
export class ChatStream implements Translator {
  finished = false
  readonly #provider: string
  readonly #quirks: Quirks
  readonly #calls: ToolCalls
  readonly #details = new ReasoningDetails()
  #parts = 0
  /** The part that text or reasoning goes on in; anything else opens the next one. */
  #open: { readonly type: 'text' | 'reasoning'; readonly part: number } | undefined
  #model = ''
  #usage: Wire | undefined
  #rawStop: string | undefined
  #refused = false

  constructor(provider: string, names: WireNames, quirks: Quirks) {
    this.#provider = provider
    this.#quirks = quirks
    this.#calls = new ToolCalls(provider, names, () => {
      this.#open = undefined
      return this.#parts++
    })
  }

  isLast({ data }: SseFrame): boolean {
    return data === '[DONE]'
  }

  push(frame: SseFrame, events: ModelEvent[]): void {
    if (this.isLast(frame)) {
      this.#finish(events)
      return
    }
    const chunk = frameObject(frame, this.#provider)
    if (chunk === undefined) return
    if (chunk.error !== undefined && chunk.error !== null) this.#fail(chunk.error)
    if (frame.event === 'error' || chunk.object === 'error') this.#fail(chunk)
    if (typeof chunk.model === 'string' && chunk.model !== '') this.#model = chunk.model
    if (isObject(chunk.usage)) this.#usage = chunk.usage
    const choice: unknown = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined
    if (isObject(choice)) this.#choice(choice, events)
    if (this.#usage === undefined && isObject(chunk.x_groq) && isObject(chunk.x_groq.usage))
      this.#usage = chunk.x_groq.usage
  }

  /** What is missing after the finish reason is at most the usage; without a finish reason the reply was cut. */
  end(events: ModelEvent[]): void {
    if (this.#rawStop !== undefined) this.#finish(events)
  }

  #choice(choice: Wire, events: ModelEvent[]): void {
    const delta = isObject(choice.delta) ? choice.delta : NO_DELTA
    this.#reasoning(delta, events)
    const { content } = delta
    if (typeof content === 'string') this.#text('text', content, events)
    else if (Array.isArray(content)) for (const piece of content) this.#piece(piece, events)
    if (typeof delta.refusal === 'string' && delta.refusal !== '') {
      this.#refused = true
      this.#text('text', delta.refusal, events)
    }
    if (Array.isArray(delta.tool_calls)) for (const call of delta.tool_calls) this.#calls.push(call, events)
    if (isObject(choice.usage)) this.#usage = choice.usage
    const reason = choice.finish_reason
    if (typeof reason === 'string' && reason !== '' && this.#rawStop === undefined) this.#stop(reason, choice, events)
  }

  /** One field of several says it; a vendor that sends two means the same text. */
  #reasoning(delta: Wire, events: ModelEvent[]): void {
    const details = Array.isArray(delta.reasoning_details) ? this.#details.push(delta.reasoning_details) : ''
    const { reasoning_content: content, reasoning } = delta
    if (typeof content === 'string' && content !== '') this.#text('reasoning', content, events)
    else if (typeof reasoning === 'string' && reasoning !== '') this.#text('reasoning', reasoning, events)
    else if (details !== '') this.#text('reasoning', details, events)
  }

  /** Mistral sends content in pieces when it thinks. */
  #piece(piece: unknown, events: ModelEvent[]): void {
    if (!isObject(piece)) return
    if (piece.type === 'text' && typeof piece.text === 'string') this.#text('text', piece.text, events)
    if (piece.type !== 'thinking') return
    const thoughts: readonly unknown[] = Array.isArray(piece.thinking) ? piece.thinking : [{ text: piece.thinking }]
    for (const thought of thoughts) {
      if (isObject(thought) && typeof thought.text === 'string') this.#text('reasoning', thought.text, events)
    }
  }

  #text(type: 'text' | 'reasoning', text: string, events: ModelEvent[]): void {
    if (text === '') return
    if (this.#open?.type !== type) this.#open = { type, part: this.#parts++ }
    events.push({ type, part: this.#open.part, text })
  }

  #stop(reason: string, choice: Wire, events: ModelEvent[]): void {
    if (reason === 'error' || reason === 'insufficient_system_resource') {
      this.#fail(choice.error ?? { message: `${this.#provider} gave up in the middle of its reply`, type: reason })
    }
    const stop = STOPS.get(reason)
    this.#calls.end(stop === 'length' || stop === 'content-filter', events)
    this.#rawStop = reason
  }

  #finish(events: ModelEvent[]): void {
    const raw = this.#rawStop
    if (raw === undefined) this.#calls.end(false, events)
    const state = this.#details.all
    if (state !== undefined) events.push({ type: 'state', state: { reasoning_details: state as JsonValue } })
    const usage = this.#usage && chatUsage(this.#usage, this.#parts > 0, this.#quirks)
    events.push({
      type: 'done',
      stop: this.#refused ? 'content-filter' : (raw !== undefined && STOPS.get(raw)) || 'unknown',
      ...(raw !== undefined && { rawStop: raw }),
      ...(usage !== undefined && Object.keys(usage).length > 0 && { usage }),
      ...(this.#model !== '' && { model: this.#model }),
    })
    this.finished = true
  }

  #fail(error: unknown): never {
    throw new ReportedFailure(error, { provider: this.#provider, sentOutput: this.#parts > 0 })
  }
}
