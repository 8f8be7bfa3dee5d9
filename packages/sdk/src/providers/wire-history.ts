import { type JsonObject, normalise } from '../protocol/json.ts'
import type { Message, ToolCallPart } from '../protocol/messages.ts'
import { ourCalls } from './history.ts'
import type { WireNames } from './wire-names.ts'

/** What the calls of one request are called. */
export interface CallWords {
  readonly names: WireNames
  idOf(call: ToolCallPart): string
}

interface KnownCall {
  readonly call: ToolCallPart
  readonly id: string
  readonly name: string
}

interface Known<Wire> {
  readonly calls: readonly KnownCall[]
  readonly wire: readonly Wire[]
}

/**
 * Messages in the words of one provider, each made once: messages never change, and every turn sends all of them again.
 * Those that hold bytes are made anew each time, so that no copy of an image stays in memory.
 */
export class WireHistory<Wire extends JsonObject> {
  readonly #known = new WeakMap<Message, Known<Wire>>()

  /** Everything that `write` makes of the messages, normalised. */
  async of(
    messages: readonly Message[],
    words: CallWords,
    write: (message: Message) => Promise<readonly Wire[]>,
  ): Promise<Wire[]> {
    const all: Wire[] = []
    for (const message of messages) {
      let known = this.#known.get(message)
      if (!known?.calls.every((each) => isSame(each, words))) {
        const wire = normalise(await write(message)) as readonly JsonObject[] as readonly Wire[]
        known = { calls: callsOf(message, words), wire }
        if (!holdsBytes(message)) this.#known.set(message, known)
      }
      all.push(...known.wire)
    }
    return all
  }
}

function callsOf(message: Message, { names, idOf }: CallWords): KnownCall[] {
  if (message.role !== 'assistant') return []
  return ourCalls(message).map((call) => ({ call, id: idOf(call), name: names.toWire(call.toolName) }))
}

/** Ids and names depend on the messages before and on the tools that are on. */
function isSame({ call, id, name }: KnownCall, { names, idOf }: CallWords): boolean {
  return idOf(call) === id && names.toWire(call.toolName) === name
}

function holdsBytes(message: Message): boolean {
  if (message.role === 'note') return false
  return message.parts.some((part) => {
    if (part.type === 'tool-call') return (part.result?.images?.length ?? 0) > 0
    return (part.type === 'image' || part.type === 'file') && part.blob !== undefined
  })
}
