import { ProviderError } from '../../protocol/errors.ts'
import { isObject, type JsonObject, type JsonValue } from '../../protocol/json.ts'
import { parsed } from '../../protocol/parsed.ts'
import { fieldsOf, textOf } from '../frames.ts'
import type { ModelEvent } from '../provider.ts'
import type { WireNames } from '../wire-names.ts'

/** The calls of one reply, put together from deltas that may lack their index, id or name, or come twice. */
export interface ToolCalls {
  push(delta: JsonValue, events: ModelEvent[]): void
  /** The reply ended. A reply that was cut leaves its half call open. */
  end(cut: boolean, events: ModelEvent[]): void
}

interface Call {
  /** Absent until the name is known: a call is shown only then, with the text it gathered. */
  part?: number
  readonly index: number | undefined
  id: string
  name: string
  text: string
  /** Opaque data that came with the call and must go back with it. */
  extra: JsonObject | undefined
  ended?: true
}

/** `openPart` gives the next free part of the reply. */
export function toolCalls(provider: string, names: WireNames, openPart: () => number): ToolCalls {
  const calls: Call[] = []

  const byId = (id: string) => calls.findLast((call) => call.id === id)

  /**
   * The call a delta goes on with. An index outweighs an id, as some servers make up a new id for every delta; a name
   * that comes with other whole arguments begins another call, as some servers give all calls the same index.
   */
  function continued({ index, id, name, text }: Call): Call | undefined {
    const last = calls.at(-1)
    if (index === undefined && id !== '') return byId(id) ?? (last?.id === '' && name === '' ? last : undefined)
    const call = index === undefined ? last : calls.findLast((each) => each.index === index)
    if (call === undefined || name === '' || call.name === '') return call
    if (id !== '' && call.id !== '' && call.id !== id) return byId(id)
    const other = name !== call.name || (text !== '' && objectIn(call.text) && !repeats(call.text, text))
    return id === '' && other ? undefined : call
  }

  /** Ends the calls that are whole, or all of them. */
  function endCalls(all: boolean, events: ModelEvent[]): void {
    for (const call of calls) {
      if (call.part === undefined && all) {
        const message = `${provider} sent a tool call without a name`
        throw new ProviderError('provider.protocol', message, { sentOutput: true })
      }
      if (call.part === undefined || call.ended || !(all || objectIn(call.text))) continue
      call.ended = true
      events.push({ type: 'tool-input-end', part: call.part, ...(call.text.trim() === '' && { input: {} }) })
    }
  }

  return {
    push(delta, events) {
      if (!isObject(delta)) return
      const given = callIn(delta)
      let call = continued(given)
      if (call === undefined) {
        // Another call begins: those before it can be run.
        endCalls(false, events)
        call = { ...given, name: '', text: '' }
        calls.push(call)
      }
      const isNew = call.part === undefined
      const newId = isNew || call.id === '' ? call.id || given.id : ''
      const added = repeats(call.text, given.text) ? '' : given.text
      call.id ||= given.id
      call.name ||= given.name
      call.text += added
      call.extra = given.extra ?? call.extra
      if (call.name === '') return
      call.part ??= openPart()
      const { part } = call
      if (isNew || newId !== '' || added !== '') {
        events.push({
          type: 'tool-input',
          part,
          text: isNew ? call.text : added,
          ...(isNew && { name: names.fromWire(call.name) }),
          ...(newId !== '' && { id: newId }),
        })
      }
      if (call.extra !== undefined) events.push({ type: 'state', part, state: { extra_content: call.extra } })
      call.extra = undefined
    },
    end: (cut, events) => endCalls(!cut, events),
  }
}

function callIn(delta: JsonObject): Call {
  const { name, arguments: input } = fieldsOf(delta.function)
  return {
    index: typeof delta.index === 'number' ? delta.index : undefined,
    id: textOf(delta.id),
    name: textOf(name),
    text: isObject(input) ? JSON.stringify(input) : textOf(input),
    extra: isObject(delta.extra_content) ? delta.extra_content : undefined,
  }
}

/** Whether a fragment is the whole call once more, perhaps with other white space, rather than its continuation. */
function repeats(text: string, fragment: string): boolean {
  if (fragment[0] !== '{' || text.at(-1) !== '}') return false
  const before = objectIn(text)
  if (before === undefined) return false
  const again = fragment === text ? before : objectIn(fragment)
  return again !== undefined && JSON.stringify(before) === JSON.stringify(again)
}

function objectIn(text: string): JsonObject | undefined {
  const value = parsed(text)
  return isObject(value) ? value : undefined
}
