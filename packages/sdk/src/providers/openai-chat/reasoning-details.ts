import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import { isObject } from '../frames.ts'

/** Fields of a reasoning detail that arrive in pieces. */
const GROWING = ['text', 'summary', 'data'] as const

/**
 * OpenRouter's `reasoning_details`, which its models want back exactly: pieces of one detail (same index and type) are
 * put together, the rest is kept in order.
 */
export class ReasoningDetails {
  readonly #details: Record<string, JsonValue>[] = []

  get all(): readonly JsonObject[] | undefined {
    return this.#details.length === 0 ? undefined : this.#details
  }

  /** Keeps the pieces and gives what of them a person may read: never encrypted data. */
  push(pieces: readonly unknown[]): string {
    let readable = ''
    for (const piece of pieces) {
      if (!isObject(piece)) continue
      if (typeof piece.text === 'string') readable += piece.text
      else if (typeof piece.summary === 'string') readable += piece.summary
      this.#keep(piece as JsonObject)
    }
    return readable
  }

  #keep(piece: JsonObject): void {
    const last = this.#details.at(-1)
    if (last === undefined || piece.index === undefined || last.index !== piece.index || last.type !== piece.type) {
      this.#details.push({ ...piece })
      return
    }
    for (const [field, value] of Object.entries(piece)) {
      if (value === null) continue
      const grown = last[field]
      const grows = GROWING.some((each) => each === field) && typeof value === 'string' && typeof grown === 'string'
      last[field] = grows ? grown + value : value
    }
  }
}
