import { defined } from '../../protocol/fields.ts'
import { isObject, type JsonArray, type JsonObject, type JsonValue } from '../../protocol/json.ts'
import { fieldsOf, frameObject, textOf } from '../frames.ts'
import type { ModelEvent } from '../provider.ts'
import { ReportedFailure } from '../reported-failure.ts'
import { type Translator, WINDOW_EXCEEDED } from '../translated.ts'
import type { WireNames } from '../wire-names.ts'
import type { Quirks } from './quirks.ts'
import { addDetails } from './reasoning-details.ts'
import { toolCalls } from './tool-calls.ts'
import { chatUsage } from './usage.ts'

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

/** The stream of Chat Completions, in all its dialects. */
export function chatStream(provider: string, names: WireNames, quirks: Quirks): Translator {
  let parts = 0
  /** The part that text or reasoning goes on in; anything else opens the next one. */
  let open: { readonly type: 'text' | 'reasoning'; readonly part: number } | undefined
  let model: string | undefined
  let usage: JsonObject | undefined
  let rawStop: string | undefined
  let isRefused = false
  const details: Record<string, JsonValue>[] = []
  const calls = toolCalls(provider, names, () => {
    open = undefined
    return parts++
  })

  function fail(error: unknown): never {
    throw new ReportedFailure(provider, error, parts > 0)
  }

  /** Whether there was any text to say. */
  function say(type: 'text' | 'reasoning', text: JsonValue | undefined, events: ModelEvent[]): boolean {
    if (typeof text !== 'string' || text === '') return false
    if (open?.type !== type) open = { type, part: parts++ }
    events.push({ type, part: open.part, text })
    return true
  }

  function sayDelta(delta: JsonObject, events: ModelEvent[]): void {
    const { content, reasoning_details } = delta
    const thought = Array.isArray(reasoning_details) ? addDetails(details, reasoning_details) : ''
    // One field of several says it; a vendor that sends two means the same text.
    say('reasoning', textOf(delta.reasoning_content) || textOf(delta.reasoning) || thought, events)
    if (Array.isArray(content)) for (const piece of content) sayPiece(fieldsOf(piece), events)
    else say('text', content, events)
    if (say('text', delta.refusal, events)) isRefused = true
    if (Array.isArray(delta.tool_calls)) for (const call of delta.tool_calls) calls.push(call, events)
  }

  /** Mistral sends content in pieces when it thinks. */
  function sayPiece({ type, text, thinking }: JsonObject, events: ModelEvent[]): void {
    if (type === 'text') say('text', text, events)
    if (type !== 'thinking') return
    for (const thought of Array.isArray(thinking) ? thinking : [{ text: thinking }]) {
      say('reasoning', fieldsOf(thought).text, events)
    }
  }

  function stop(reason: string, error: JsonValue | undefined, events: ModelEvent[]): void {
    if (reason === 'error' || reason === 'insufficient_system_resource') {
      fail(error ?? { message: `${provider} gave up in the middle of its reply`, type: reason })
    }
    const meaning = STOPS.get(reason)
    calls.end(meaning === 'length' || meaning === 'content-filter', events)
    rawStop = reason
  }

  function finish(events: ModelEvent[]): void {
    if (rawStop === undefined) calls.end(false, events)
    if (details.length > 0) events.push({ type: 'state', state: { reasoning_details: details } })
    const used = usage && chatUsage(usage, parts > 0, quirks)
    const stop = isRefused ? 'content-filter' : (STOPS.get(rawStop ?? '') ?? 'unknown')
    const known = defined({ rawStop, usage: used && Object.keys(used).length > 0 ? used : undefined, model })
    events.push({ type: 'done', stop, ...known })
  }

  return {
    push(frame, events) {
      if (frame.data === '[DONE]') return finish(events)
      const chunk = frameObject(frame, provider)
      if (chunk === undefined) return
      const { error } = chunk
      if (error !== undefined && error !== null) fail(error)
      if (frame.event === 'error' || chunk.object === 'error') fail(chunk)
      model = textOf(chunk.model) || model
      const choice = fieldsOf((chunk.choices as JsonArray | null | undefined)?.[0])
      if (isObject(chunk.usage)) usage = chunk.usage
      sayDelta(fieldsOf(choice.delta), events)
      if (isObject(choice.usage)) usage = choice.usage
      const reason = textOf(choice.finish_reason)
      if (reason !== '' && rawStop === undefined) stop(reason, choice.error, events)
      const { usage: groq } = fieldsOf(chunk.x_groq)
      if (isObject(groq)) usage ??= groq
    },
    /** What is missing after the finish reason is at most the usage; without a finish reason the reply was cut. */
    end(events) {
      if (rawStop !== undefined) finish(events)
    },
  }
}
