import { type JsonValue, normaliseText } from '../protocol/json.ts'

/** More than most tools return. */
const MAX_DEPTH = 50
const MAX_NODES = 10_000

/** `serialise`, which is loaded only for what is no plain JSON yet. Rejects with what the value's own getters throw. */
export async function asJson(value: unknown): Promise<JsonValue> {
  if (value === undefined) return ''
  const copy = plainCopy(value)
  return copy === undefined ? (await import('./rare.ts')).serialise(value) : copy
}

/** A copy of plain JSON of an ordinary size; undefined for anything else. */
function plainCopy(value: unknown): JsonValue | undefined {
  let nodes = 0

  function copy(value: unknown, depth: number): JsonValue | undefined {
    if (typeof value === 'string') return normaliseText(value)
    if (typeof value === 'boolean' || value === null) return value
    if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0) ? value : undefined
    if (typeof value !== 'object' || depth > MAX_DEPTH) return undefined
    const isArray = Array.isArray(value)
    if (!isArray && Object.getPrototypeOf(value) !== Object.prototype) return undefined
    const copied: [string, JsonValue][] = []
    for (const [key, each] of Object.entries(value)) {
      const item = ++nodes > MAX_NODES || key === '__proto__' ? undefined : copy(each, depth + 1)
      if (item === undefined) return undefined
      copied.push([normaliseText(key), item])
    }
    if (!isArray) return Object.fromEntries(copied)
    return copied.length === value.length ? copied.map(([, item]) => item) : undefined
  }

  try {
    return copy(value, 0)
  } catch {
    return undefined
  }
}
