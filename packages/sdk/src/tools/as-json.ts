import { type JsonValue, normalise } from '../protocol/json.ts'
import { rare } from './late.ts'

/** What values without content of their own may be; `null` is an object. */
const SCALARS = /^(string|boolean|object|undefined)$/
/** More than most tools return. */
const MAX_DEPTH = 50
const MAX_NODES = 10_000

/** `serialise`, which is loaded only for what is no plain JSON yet. Rejects with what the value's own getters throw. */
export async function asJson(value: unknown): Promise<JsonValue> {
  if (value === undefined) return ''
  const copy = plainCopy(value)
  return copy === undefined ? (await rare()).serialise(value) : copy
}

/** A copy of plain JSON of an ordinary size; undefined for anything else. */
function plainCopy(value: unknown): JsonValue | undefined {
  let nodes = 0

  function isPlain(value: unknown, depth: number): boolean {
    if (typeof value !== 'object' || value === null) return SCALARS.test(typeof value) || Number.isFinite(value)
    const isArray = Array.isArray(value)
    if (depth > MAX_DEPTH || !(isArray || Object.getPrototypeOf(value) === Object.prototype)) return false
    const items = Object.values(value)
    if (isArray && items.length !== value.length) return false
    return items.every((item) => ++nodes <= MAX_NODES && isPlain(item, depth + 1))
  }

  try {
    if (!isPlain(value, 0)) return undefined
    return typeof value === 'object' ? (JSON.parse(JSON.stringify(normalise(value))) as JsonValue) : normalise(value)
  } catch {
    return undefined
  }
}
