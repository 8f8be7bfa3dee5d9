import { isObject, type JsonObject, type JsonValue } from '../../protocol/json.ts'
import { textOf } from '../frames.ts'

/** Fields of a reasoning detail that arrive in pieces. */
const GROWING = ['text', 'summary', 'data']

/**
 * Adds pieces of OpenRouter's `reasoning_details`, which its models want back exactly: pieces of one detail (same index
 * and type) are put together, the rest is kept in order. Gives what of them a person may read: never encrypted data.
 */
export function addDetails(details: Record<string, JsonValue>[], pieces: readonly JsonValue[]): string {
  let readable = ''
  for (const piece of pieces) {
    if (!isObject(piece)) continue
    readable += typeof piece.text === 'string' ? piece.text : textOf(piece.summary)
    addDetail(details, piece)
  }
  return readable
}

function addDetail(details: Record<string, JsonValue>[], piece: JsonObject): void {
  const last = details.at(-1)
  if (last === undefined || piece.index === undefined || last.index !== piece.index || last.type !== piece.type) {
    details.push({ ...piece })
    return
  }
  for (const [field, value] of Object.entries(piece)) {
    const grown = last[field]
    const grows = GROWING.includes(field) && typeof value === 'string' && typeof grown === 'string'
    if (value !== null) last[field] = grows ? grown + value : value
  }
}
