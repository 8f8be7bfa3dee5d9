import { isObject, type JsonObject } from '../../protocol/json.ts'
import { frameObject, type SseFrame } from '../frames.ts'
import type { ModelEvent } from '../provider.ts'
import { ReportedFailure } from '../reported-failure.ts'
import type { Translator } from '../translated.ts'
import type { WireNames } from '../wire-names.ts'
import { finishItem, Item, type Reply } from './items.ts'
import { responseUsage } from './usage.ts'

type Wire = Record<string, unknown>
type Done = Extract<ModelEvent, { type: 'done' }>

const INCOMPLETE: Readonly<Record<string, Done['stop']>> = {
  max_output_tokens: 'length',
  content_filter: 'content-filter',
}

/** The event stream of the Responses API. */
export class ResponseStream implements Translator {
  readonly #provider: string
  readonly #reply: Reply
  /** By output index: ids change on the way through some gateways, and are missing at others. */
  readonly #items = new Map<unknown, Item>()

  constructor(provider: string, names: WireNames) {
    this.#provider = provider
    this.#reply = { names, parts: 0, sources: 0, id: '', calls: 0, refused: false, lostThought: false }
  }

  push(frame: SseFrame, events: ModelEvent[]): void {
    const event = frameObject(frame, this.#provider)
    if (event === undefined) return
    // Most frames first.
    switch (event.type) {
      case 'response.output_text.delta':
        return this.#item(event).say(event.content_index, event.delta, events)
      case 'response.function_call_arguments.delta':
      case 'response.mcp_call_arguments.delta':
        return this.#item(event).addInput(event.delta, events)
      case 'response.reasoning_summary_text.delta':
        return this.#item(event).think('summary', event.summary_index, event.delta, events)
      case 'response.reasoning_text.delta':
        return this.#item(event).think('text', event.content_index, event.delta, events)
      case 'response.refusal.delta':
        this.#item(event).refuse()
        return this.#item(event).say(event.content_index, event.delta, events)
      case 'response.output_text.done':
        return this.#item(event).sayAll(event.content_index, event.text, events)
      case 'response.reasoning_summary_text.done':
        return this.#item(event).thinkAll('summary', event.summary_index, event.text, events)
      case 'response.reasoning_text.done':
        return this.#item(event).thinkAll('text', event.content_index, event.text, events)
      case 'response.function_call_arguments.done':
      case 'response.mcp_call_arguments.done':
        return this.#item(event).completeInput(event.arguments, events)
      case 'response.output_text.annotation.added':
        return this.#item(event).cite(event.annotation, events)
      case 'response.output_item.added':
        if (isObject(event.item)) this.#item(event).open(event.item as JsonObject, events)
        return
      case 'response.output_item.done':
        if (isObject(event.item)) finishItem(this.#item(event), event.item as JsonObject, events)
        return
      case 'response.created':
        if (isObject(event.response) && typeof event.response.id === 'string') this.#reply.id = event.response.id
        return
      case 'response.completed':
      case 'response.incomplete':
        return this.#finish(isObject(event.response) ? event.response : {}, events)
      case 'response.failed':
        throw this.#failure(isObject(event.response) ? event.response.error : undefined)
      case 'error':
        throw this.#failure(event.error ?? event)
    }
  }

  /** Without its last event a response is cut. */
  end(): void {}

  #item(event: Wire): Item {
    const own = isObject(event.item) ? (event.item.id ?? event.item.call_id) : undefined
    const key = event.output_index ?? event.item_id ?? own
    let item = this.#items.get(key)
    if (item === undefined) {
      item = new Item(this.#reply)
      this.#items.set(key, item)
    }
    return item
  }

  #finish(response: Wire, events: ModelEvent[]): void {
    // Some servers send nothing but the whole.
    if (this.#items.size === 0 && Array.isArray(response.output)) {
      response.output.filter(isObject).forEach((item, index) => {
        finishItem(this.#item({ output_index: index }), item as JsonObject, events)
      })
    }
    const incomplete = response.status === 'incomplete' || isObject(response.incomplete_details)
    if (!incomplete) for (const item of this.#items.values()) item.close(events)
    const usage = responseUsage(response.usage, this.#reply.parts > 0)
    events.push({
      type: 'done',
      ...(incomplete ? incompleteStop(response.incomplete_details) : { stop: this.#stop() }),
      ...(usage && { usage }),
      ...(typeof response.model === 'string' && { model: response.model }),
    })
  }

  #stop(): Done['stop'] {
    if (this.#reply.calls > 0) return 'tool-calls'
    return this.#reply.refused ? 'content-filter' : 'stop'
  }

  #failure(error: unknown): Error {
    return new ReportedFailure(this.#provider, error, this.#reply.parts > 0)
  }
}

function incompleteStop(details: unknown): Pick<Done, 'stop' | 'rawStop'> {
  const reason = isObject(details) && typeof details.reason === 'string' ? details.reason : 'incomplete'
  return { stop: INCOMPLETE[reason] ?? 'unknown', rawStop: reason }
}
