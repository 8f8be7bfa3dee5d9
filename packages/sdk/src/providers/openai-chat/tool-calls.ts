import { ProviderError } from '../../protocol/errors.ts'
import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import { isObject, parsed } from '../frames.ts'
import type { ModelEvent } from '../provider.ts'
import type { WireNames } from '../wire-names.ts'

type Wire = Readonly<Record<string, unknown>>

interface Call {
  /** Absent until the name is known: a call is shown only then, with the text it gathered. */
  part?: number
  index: number | undefined
  id: string
  name: string
  text: string
  /** Opaque data that came with the call and must go back with it. */
  extra?: JsonValue
  ended: boolean
}

/** The calls of one reply, put together from deltas that may lack their index, id or name, or come twice. */
export class ToolCalls {
  readonly #provider: string
  readonly #names: WireNames
  readonly #openPart: () => number
  readonly #calls: Call[] = []

  /** `openPart` gives the next free part of the reply. */
  constructor(provider: string, names: WireNames, openPart: () => number) {
    this.#provider = provider
    this.#names = names
    this.#openPart = openPart
  }

  push(delta: unknown, events: ModelEvent[]): void {
    if (!isObject(delta)) return
    const wire: Wire = isObject(delta.function) ? delta.function : {}
    const name = typeof wire.name === 'string' ? wire.name : ''
    const id = typeof delta.id === 'string' ? delta.id : ''
    const index = typeof delta.index === 'number' ? delta.index : undefined

    const text = argumentText(wire.arguments)
    let call = this.#continued(index, id, name, text)
    if (call === undefined) {
      this.#endComplete(events)
      call = { index, id, name: '', text: '', ended: false }
      this.#calls.push(call)
    }
    const lateId = call.id === '' && id !== '' && call.part !== undefined
    if (call.id === '') call.id = id
    if (call.name === '') call.name = name
    const added = call.text !== '' && repeats(call, text) ? '' : text
    call.text += added
    if (isObject(delta.extra_content)) call.extra = delta.extra_content as JsonObject
    this.#show(call, added, lateId, events)
  }

  /** The reply ended. A reply that was cut leaves its half call open. */
  end(cut: boolean, events: ModelEvent[]): void {
    for (const call of this.#calls) {
      if (call.name === '' && !cut) {
        throw new ProviderError('provider.protocol', `${this.#provider} sent a tool call without a name`, {
          sentOutput: true,
        })
      }
      if (!cut || isWhole(call.text)) end(call, events)
    }
  }

  /**
   * The call a delta goes on with. An index outweighs an id, as some servers make up a new id for every delta; a name
   * that comes with other whole arguments begins another call, as some servers give all calls the same index.
   */
  #continued(index: number | undefined, id: string, name: string, text: string): Call | undefined {
    const last = this.#calls.at(-1)
    if (index === undefined && id !== '') return this.#byId(id) ?? (last?.id === '' && name === '' ? last : undefined)
    const call = index === undefined ? last : lastWhere(this.#calls, (each) => each.index === index)
    if (call === undefined || name === '' || call.name === '') return call
    if (id !== '' && call.id !== '' && call.id !== id) return this.#byId(id)
    const other = name !== call.name || (text !== '' && isWhole(call.text) && !repeats(call, text))
    return id === '' && other ? undefined : call
  }

  #byId(id: string): Call | undefined {
    return lastWhere(this.#calls, (call) => call.id === id)
  }

  #show(call: Call, added: string, lateId: boolean, events: ModelEvent[]): void {
    if (call.part !== undefined) {
      const id = lateId ? { id: call.id } : undefined
      if (added !== '' || lateId) events.push({ type: 'tool-input', part: call.part, text: added, ...id })
    } else if (call.name !== '') {
      call.part = this.#openPart()
      const name = this.#names.fromWire(call.name)
      events.push({
        type: 'tool-input',
        part: call.part,
        text: call.text,
        name,
        ...(call.id !== '' && { id: call.id }),
      })
    }
    if (call.extra !== undefined && call.part !== undefined) {
      events.push({ type: 'state', part: call.part, state: { extra_content: call.extra } })
      delete call.extra
    }
  }

  /** Another call begins: those before it that are whole can be run. */
  #endComplete(events: ModelEvent[]): void {
    for (const call of this.#calls) if (call.part !== undefined && !call.ended && isWhole(call.text)) end(call, events)
  }
}

function end(call: Call, events: ModelEvent[]): void {
  if (call.ended || call.part === undefined) return
  call.ended = true
  events.push({ type: 'tool-input-end', part: call.part, ...(call.text.trim() === '' && { input: {} }) })
}

function lastWhere(calls: readonly Call[], wanted: (call: Call) => boolean): Call | undefined {
  for (let i = calls.length - 1; i >= 0; i--) {
    const call = calls[i] as Call
    if (wanted(call)) return call
  }
  return undefined
}

function argumentText(value: unknown): string {
  if (typeof value === 'string') return value
  return isObject(value) ? JSON.stringify(value) : ''
}

/** Whether a fragment is the whole call once more, perhaps with other white space, rather than its continuation. */
function repeats(call: Call, fragment: string): boolean {
  if (fragment.charCodeAt(0) !== OPENING_BRACE || call.text.charCodeAt(call.text.length - 1) !== CLOSING_BRACE)
    return false
  const before = objectIn(call.text)
  if (before === undefined) return false
  const again = fragment === call.text ? before : objectIn(fragment)
  return again !== undefined && JSON.stringify(before) === JSON.stringify(again)
}

const OPENING_BRACE = 123
const CLOSING_BRACE = 125

function isWhole(text: string): boolean {
  return objectIn(text) !== undefined
}

function objectIn(text: string): JsonObject | undefined {
  const value = parsed(text)
  return isObject(value) ? (value as JsonObject) : undefined
}
