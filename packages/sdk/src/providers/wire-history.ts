import { type JsonObject, normalise } from '../protocol/json.ts'
import type { Message, ToolCallPart } from '../protocol/messages.ts'
import { ourCalls } from './history.ts'
import type { WireNames } from './wire-names.ts'

/** What the calls of one request are called. */
export interface CallWords {
  readonly names: WireNames
  idOf(call: ToolCallPart): string
}

/**
 * Messages in the words of one provider, each made once: messages never change, and every turn sends all of them again.
 * Those that hold bytes are made anew each time, so that no copy of an image stays in memory.
 */
export class WireHistory<Wire extends JsonObject> {
  readonly #known = new WeakMap<Message, { readonly called: string; readonly wire: readonly Wire[] }>()

  /** Everything that `write` makes of the messages, normalised. */
  async of(
    messages: readonly Message[],
    words: CallWords,
    write: (message: Message) => Promise<readonly Wire[]>,
  ): Promise<Wire[]> {
    const all: Wire[] = []
    for (const message of messages) {
      const called = callsIn(message, words)
      let known = this.#known.get(message)
      if (known?.called !== called) {
        known = { called, wire: normalise(await write(message)) as readonly JsonObject[] as readonly Wire[] }
        if (!holdsBytes(message)) this.#known.set(message, known)
      }
      all.push(...known.wire)
    }
    return all
  }
}

/** What its calls are called: ids and names depend on the messages before and on the tools that are on. */
function callsIn(message: Message, { names, idOf }: CallWords): string {
  if (message.role !== 'assistant') return ''
  return ourCalls(message)
    .map((call) => `${idOf(call)} ${names.toWire(call.toolName)}`)
    .join('\n')
}

function holdsBytes(message: Message): boolean {
  if (message.role === 'note') return false
  return message.parts.some(
    (part) => ('blob' in part && part.blob) || ('result' in part && part.result?.images?.length),
  )
}
