import { ProviderError } from '../../protocol/errors.ts'
import { isObject, type JsonObject, type JsonValue } from '../../protocol/json.ts'
import type { ModelEvent } from '../provider.ts'
import type { WireNames } from '../wire-names.ts'
import { inputOfCall, isProviderCall, nameOfCall, outputOfCall, replayOfCall } from './provider-calls.ts'
import type { PartState } from './state.ts'

/** What the items of one reply share. */
export interface Reply {
  readonly names: WireNames
  id: string
  /** Counted from 0. */
  parts: number
  sources: number
  /** Function calls for us. */
  calls: number
  refused: boolean
  /** The last thought can be sent back neither sealed nor in words. */
  lostThought: boolean
}

/** One output item while it grows. Each text of a message, each thought and each call is one part of the reply. */
export class Item {
  readonly #reply: Reply
  /** The part of each text, by its index in the message. */
  readonly #texts = new Map<number, number>()
  readonly #thoughts = new Set<string>()
  #part: number | undefined
  #named = false
  #input = ''
  #thought: string | undefined
  #cited = false
  #closed = false

  constructor(reply: Reply) {
    this.#reply = reply
  }

  /** Shows a call as soon as its name is known. */
  open(item: JsonObject, events: ModelEvent[]): void {
    if (this.#named) return
    const provided = isProviderCall(item.type)
    if (!provided && item.type !== 'function_call') return
    const name = provided ? nameOfCall(item) : item.name
    if (typeof name !== 'string' || name === '') return
    this.#named = true
    if (!provided) this.#reply.calls++
    const id = provided ? item.id : (item.call_id ?? item.id)
    events.push({
      type: 'tool-input',
      part: this.#partOf(),
      text: this.#input,
      name: provided ? name : this.#reply.names.fromWire(name),
      ...(typeof id === 'string' && { id }),
      ...(provided && { executed: 'provider' as const }),
    })
  }

  say(index: unknown, text: unknown, events: ModelEvent[]): void {
    if (typeof text !== 'string' || text === '') return
    const key = Number(index ?? 0)
    let part = this.#texts.get(key)
    if (part === undefined) {
      part = this.#reply.parts++
      this.#texts.set(key, part)
    }
    events.push({ type: 'text', part, text })
  }

  /** For servers that give a text only when it is whole. */
  sayAll(index: unknown, text: unknown, events: ModelEvent[]): void {
    if (!this.#texts.has(Number(index ?? 0))) this.say(index, text, events)
  }

  refuse(): void {
    this.#reply.refused = true
  }

  /** Sections (summaries, or the thoughts themselves) stand apart by an empty line. */
  think(kind: 'summary' | 'text', index: unknown, text: unknown, events: ModelEvent[]): void {
    if (typeof text !== 'string' || text === '') return
    const section = `${kind} ${index ?? 0}`
    const gap = this.#thought === undefined || this.#thought === section ? '' : '\n\n'
    if (this.#thought !== section) this.#thoughts.add(section)
    this.#thought = section
    events.push({ type: 'reasoning', part: this.#partOf(), text: gap + text })
  }

  thinkAll(kind: 'summary' | 'text', index: unknown, text: unknown, events: ModelEvent[]): void {
    if (!this.#thoughts.has(`${kind} ${index ?? 0}`)) this.think(kind, index, text, events)
  }

  addInput(text: unknown, events: ModelEvent[]): void {
    if (typeof text !== 'string' || text === '') return
    this.#input += text
    if (this.#named) events.push({ type: 'tool-input', part: this.#partOf(), text })
  }

  /** The whole input as a later event repeats it: only what goes on from the deltas is news. */
  completeInput(whole: unknown, events: ModelEvent[]): void {
    const text = isObject(whole) ? JSON.stringify(whole) : whole
    if (typeof text === 'string' && text.startsWith(this.#input)) this.addInput(text.slice(this.#input.length), events)
  }

  cite(annotation: unknown, events: ModelEvent[]): void {
    if (!isObject(annotation)) return
    this.#cited = true
    const title = annotation.title ?? annotation.filename
    const source = {
      sourceId: `${this.#reply.id}:${this.#reply.sources++}`,
      ...(typeof annotation.url === 'string' && { url: annotation.url }),
      ...(typeof title === 'string' && { title }),
    }
    events.push({ type: 'source', source })
  }

  /** A call's input is whole. */
  close(events: ModelEvent[], input?: JsonObject): void {
    if (!this.#named || this.#closed) return
    this.#closed = true
    if (this.#input === '') {
      const given = input ?? {}
      events.push(
        { type: 'tool-input', part: this.#partOf(), text: JSON.stringify(given) },
        { type: 'tool-input-end', part: this.#partOf(), input: given },
      )
    } else events.push({ type: 'tool-input-end', part: this.#partOf() })
  }

  /** Whether its sources came one by one. */
  get cited(): boolean {
    return this.#cited
  }

  /** The server kept this thought, and nobody else: what it led to goes back without the id that asks for it. */
  loseThought(): void {
    this.#reply.lostThought = true
  }

  /** Opaque data for its part, which it gets now if it had none: a thought may be sealed altogether. */
  seal(state: PartState, events: ModelEvent[]): void {
    if (this.#reply.lostThought) {
      this.#reply.lostThought = false
      return
    }
    if (this.#part === undefined && state.item) events.push({ type: 'reasoning', part: this.#partOf(), text: '' })
    for (const part of this.#part === undefined ? this.#texts.values() : [this.#part]) {
      events.push({ type: 'state', part, state: state as JsonValue })
    }
  }

  answer(output: JsonValue, events: ModelEvent[]): void {
    events.push({ type: 'tool-output', part: this.#partOf(), output })
  }

  #partOf(): number {
    this.#part ??= this.#reply.parts++
    return this.#part
  }
}

/** What `output_item.done` says of an item: what was missed on the way, and what goes back to the model. */
export function finishItem(item: Item, done: JsonObject, events: ModelEvent[]): void {
  const id = typeof done.id === 'string' ? done.id : undefined
  switch (done.type) {
    case 'message': {
      const phase = typeof done.phase === 'string' ? done.phase : undefined
      for (const [index, content] of contentOf(done.content).entries()) {
        if (content.type === 'refusal') item.refuse()
        item.sayAll(index, content.text ?? content.refusal, events)
        if (!item.cited && Array.isArray(content.annotations)) {
          for (const annotation of content.annotations) item.cite(annotation, events)
        }
      }
      if (id !== undefined || phase !== undefined) item.seal({ ...(id && { id }), ...(phase && { phase }) }, events)
      return
    }
    case 'reasoning': {
      const content = contentOf(done.content)
      for (const [index, { text }] of contentOf(done.summary).entries()) item.thinkAll('summary', index, text, events)
      for (const [index, { text }] of content.entries()) item.thinkAll('text', index, text, events)
      if (typeof done.encrypted_content !== 'string' && content.length === 0) return item.loseThought()
      const { status: _, ...replay } = done
      return item.seal({ item: replay }, events)
    }
    case 'function_call':
      item.completeInput(done.arguments, events)
      item.open(done, events)
      item.close(events)
      if (id !== undefined) item.seal({ id }, events)
      return
  }
  if (!isProviderCall(done.type)) return
  item.completeInput(done.arguments, events)
  item.open(done, events)
  item.close(events, inputOfCall(done))
  item.answer(outputOfCall(done), events)
  item.seal({ item: replayOfCall(done) }, events)
  if (done.type === 'image_generation_call' && typeof done.result === 'string') events.push(imageFile(done))
}

function imageFile({ result, output_format: format }: JsonObject): ModelEvent {
  const type = typeof format === 'string' ? format : 'png'
  return { type: 'file', mediaType: `image/${type}`, bytes: decoded(String(result)), name: `image.${type}` }
}

function decoded(picture: string): Uint8Array {
  try {
    return Uint8Array.from(atob(picture), (character) => character.charCodeAt(0))
  } catch {
    throw new ProviderError('provider.protocol', 'A generated image came in a form that is no base64')
  }
}

function contentOf(list: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(list) ? (list.filter(isObject) as JsonObject[]) : []
}
