/** What can be stored, sent and folded again. */
export type JsonValue = string | number | boolean | null | JsonArray | JsonObject
export type JsonArray = readonly JsonValue[]
export interface JsonObject {
  readonly [key: string]: JsonValue
}

/** Deeper values are cut here, so that no store or client meets a stack overflow. */
const MAX_DEPTH = 1000
const TOO_DEEP = '[nested too deeply]'

/**
 * One form for every store and every wire: no `undefined`, NaN, infinities, `-0`, bigint, functions, lone surrogates,
 * U+0000 or `__proto__` keys. Lone surrogates and U+0000 become U+FFFD in text and keys; what JSON has no word for
 * becomes `null` in arrays and disappears from objects. What is clean already comes back as the same reference.
 *
 * Getters and `toJSON` are not called: give it plain data.
 */
export function normalise(value: unknown): JsonValue {
  return clean(value, 0) ?? null
}

/** `normalise` for text. Surrogate pairs are untouched. */
export function normaliseText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed()
  return wellFormed.includes('\u0000') ? wellFormed.replaceAll('\u0000', '\uFFFD') : wellFormed
}

function clean(value: unknown, depth: number): JsonValue | undefined {
  switch (typeof value) {
    case 'string':
      return normaliseText(value)
    case 'number':
      return Number.isFinite(value) ? (Object.is(value, -0) ? 0 : value) : null
    case 'boolean':
      return value
    case 'object':
      if (value === null) return null
      if (depth >= MAX_DEPTH) return TOO_DEEP
      return Array.isArray(value) ? cleanArray(value, depth) : cleanObject(value as Record<string, unknown>, depth)
    default:
      return undefined
  }
}

function cleanArray(array: readonly unknown[], depth: number): JsonArray {
  let copy: JsonValue[] | undefined
  for (let i = 0; i < array.length; i++) {
    const item = clean(array[i], depth + 1) ?? null
    if (copy === undefined && item !== array[i]) copy = array.slice(0, i) as JsonValue[]
    copy?.push(item)
  }
  return copy ?? (array as JsonArray)
}

function cleanObject(object: Record<string, unknown>, depth: number): JsonObject {
  let copy: Record<string, JsonValue> | undefined
  const keys = Object.keys(object)
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string
    const name = normaliseText(key)
    const item = name === '__proto__' ? undefined : clean(object[key], depth + 1)
    if (
      copy === undefined &&
      (item === undefined || item !== object[key] || name !== key || Object.is(object[key], -0))
    ) {
      copy = {}
      for (const before of keys.slice(0, i)) copy[before] = object[before] as JsonValue
    }
    if (copy !== undefined && item !== undefined) copy[name] = item
  }
  return copy ?? (object as JsonObject)
}
