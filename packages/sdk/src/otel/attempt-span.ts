import { type Attributes, type Context, type Span, SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api'
import type { TurnStartEvent, UsageEvent } from '../protocol/events.ts'
import type { AssistantMessage, Message } from '../protocol/messages.ts'
import {
  CONVERSATION,
  ERROR_TYPE,
  finishReason,
  modelAttributes,
  OPERATION,
  OTHER_ERROR,
  RESPONSE_MODEL,
  usageAttributes,
} from './attributes.ts'
import { inputMessages, outputMessages } from './content.ts'
import type { Measures } from './metrics.ts'

/** One attempt at a model call: `chat {model}`. */
export class AttemptSpan {
  readonly #span: Span
  readonly #started: TurnStartEvent
  readonly #measures: Measures
  /** Of the span and of its metrics. */
  readonly #attributes: Attributes
  #isHeard = false
  #isOver = false
  #reply: AssistantMessage | undefined
  /** What went wrong, where that is told before its end. */
  #code: string | undefined
  /** Its end, while it is not told yet what went wrong. */
  #failed: UsageEvent | undefined

  constructor(
    started: TurnStartEvent,
    tracer: Tracer,
    measures: Measures,
    { sessionId, parent, sent }: { sessionId: string; parent: Context; sent: readonly Message[] | undefined },
  ) {
    const { model, attempt, purpose, at: startTime } = started
    this.#started = started
    this.#measures = measures
    this.#attributes = { [OPERATION]: 'chat', ...modelAttributes(model) }
    const attributes: Attributes = {
      ...this.#attributes,
      [CONVERSATION]: sessionId,
      'gen_ai.request.stream': true,
      'stepwell.attempt': attempt,
      'stepwell.purpose': purpose,
      ...(sent && { 'gen_ai.input.messages': inputMessages(sent) }),
    }
    this.#span = tracer.startSpan(`chat ${model.model}`, { kind: SpanKind.CLIENT, startTime, attributes }, parent)
  }

  /** Something of the reply came, at epoch ms. */
  heard(at: number): void {
    if (this.#isHeard) return
    this.#isHeard = true
    const ms = at - this.#started.at
    this.#span.setAttribute('gen_ai.response.time_to_first_chunk', Math.max(0, ms) / 1_000)
    this.#measures.firstChunk(ms, this.#attributes)
  }

  /** The whole reply, to be written down. */
  said(reply: AssistantMessage): void {
    this.#reply = reply
  }

  /** Its end. One that failed waits to be told why. */
  over(usage: UsageEvent): void {
    if (usage.stop === 'error' && this.#code === undefined) this.#failed = usage
    else this.#end(usage, usage.stop === 'error' ? this.#code : undefined)
  }

  /** Why it failed. */
  explain(code: string): void {
    if (this.#failed) this.#end(this.#failed, code)
    else this.#code = code
  }

  /** Nothing more is heard of it. */
  leave(): void {
    if (this.#failed) this.#end(this.#failed, OTHER_ERROR)
    else if (!this.#isOver) this.#span.end()
  }

  #end({ at, call, model, stop }: UsageEvent, error: string | undefined): void {
    this.#failed = undefined
    this.#isOver = true
    const reason = finishReason(stop)
    const shared: Attributes = {
      ...this.#attributes,
      [RESPONSE_MODEL]: model,
      ...(error !== undefined && { [ERROR_TYPE]: error }),
    }
    this.#span.setAttributes({
      ...shared,
      'gen_ai.response.finish_reasons': [reason],
      ...usageAttributes(call),
      ...(this.#reply && { 'gen_ai.output.messages': outputMessages(this.#reply, reason) }),
    })
    if (error !== undefined) this.#span.setStatus({ code: SpanStatusCode.ERROR })
    this.#span.end(at)
    this.#measures.call(at - this.#started.at, shared)
    this.#measures.tokens(call, { ...this.#attributes, [RESPONSE_MODEL]: model })
  }
}
