import type { ReplyScreen } from '../guards/screen.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { ModelEvent } from '../providers/provider.ts'

type Done = Extract<ModelEvent, { type: 'done' }>

/**
 * What a policy lets through of a reply: the provider's events, with text masked and held back, and the input of a call in
 * one piece once it is complete. After a block nothing follows, not even `done`: look at the screen's `blocked`.
 */
export class ScreenedReply {
  readonly #screen: ReplyScreen
  readonly #inputs = new Map<number, string>()
  /** Opaque state waits for the end: it may hold what turns out to be masked. */
  readonly #states: Extract<ModelEvent, { type: 'state' }>[] = []

  constructor(screen: ReplyScreen) {
    this.#screen = screen
  }

  take(events: readonly ModelEvent[]): ModelEvent[] {
    const shown: ModelEvent[] = []
    for (const event of events) {
      if (this.#screen.blocked !== undefined) break
      shown.push(...this.#screened(event))
    }
    return shown
  }

  /** Of a reply that ends without `done`: what was held back. */
  end(): ModelEvent[] {
    const rest: ModelEvent[] = this.#screen.end().map(({ kind, ...shown }) => ({ type: kind, ...shown }))
    for (const [part, text] of this.#inputs) {
      rest.push({ type: 'tool-input', part, text: this.#screen.toolInput(part, text) })
    }
    this.#inputs.clear()
    return rest
  }

  #screened(event: ModelEvent): ModelEvent[] {
    switch (event.type) {
      case 'text':
      case 'reasoning':
        return [{ ...event, text: this.#screen.push({ ...event, kind: event.type }) }]
      case 'tool-input':
        this.#inputs.set(event.part, (this.#inputs.get(event.part) ?? '') + event.text)
        return [{ ...event, text: '' }]
      case 'tool-input-end':
        return this.#inputEnd(event.part, event.input)
      case 'state':
        this.#states.push(event)
        return []
      case 'done':
        return this.#done(event)
      default:
        return [event]
    }
  }

  #inputEnd(part: number, input: JsonObject | undefined): ModelEvent[] {
    const text = this.#inputs.get(part) ?? ''
    this.#inputs.delete(part)
    const whole = input === undefined ? text : JSON.stringify(input)
    const shown = this.#screen.toolInput(part, whole)
    if (this.#screen.blocked !== undefined) return []
    if (shown === whole) {
      return [
        { type: 'tool-input', part, text },
        { type: 'tool-input-end', part, ...(input && { input }) },
      ]
    }
    return [
      { type: 'tool-input', part, text: shown },
      { type: 'tool-input-end', part },
    ]
  }

  #done(done: Done): ModelEvent[] {
    const rest = this.end()
    if (this.#screen.blocked !== undefined) {
      return done.usage === undefined ? rest : [...rest, { type: 'usage', usage: done.usage }]
    }
    const { maskedParts } = this.#screen
    const states = this.#states.filter(({ part }) =>
      part === undefined ? maskedParts.size === 0 : !maskedParts.has(part),
    )
    return [...rest, ...states, done]
  }
}
