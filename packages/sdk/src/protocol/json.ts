/** What can be stored, sent and folded again. */
export type JsonValue = string | number | boolean | null | JsonArray | JsonObject
export type JsonArray = readonly JsonValue[]
export interface JsonObject {
  readonly [key: string]: JsonValue
}

/** Deeper values are cut here, so that no store or client meets a stack overflow. */
const MAX_DEPTH = 1000
const TOO_DEEP = '[nested too deeply]'
const CIRCULAR = '[circular]'

/**
 * One form for every store and every wire: no `undefined`, NaN, infinities, `-0`, bigint, functions, lone surrogates,
 * U+0000, `__proto__` keys or class instances. Lone surrogates and U+0000 become U+FFFD in text and keys; what JSON has
 * no word for becomes `null` in arrays and disappears from objects. What is clean already comes back as the same
 * reference. Its output survives `JSON.stringify` and `JSON.parse` exactly.
 *
 * Give it plain data: `toJSON` is not called, and of an instance its own enumerable properties are left.
 */
export function normalise(value: unknown): JsonValue {
  return clean(value, []) ?? null
}

/** `normalise` for text. Surrogate pairs are untouched. */
export function normaliseText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed()
  return wellFormed.includes('\u0000') ? wellFormed.replaceAll('\u0000', '\uFFFD') : wellFormed
}

/** JSON text in which the order of keys plays no part: equal texts, equal values. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, sortKeys)
}

function sortKeys(_key: string, value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** `ancestors`: the objects and arrays the value lies in, outermost first. */
function clean(value: unknown, ancestors: object[]): JsonValue | undefined {
  switch (typeof value) {
    case 'string':
      return normaliseText(value)
    case 'number':
      return Number.isFinite(value) ? (Object.is(value, -0) ? 0 : value) : null
    case 'boolean':
      return value
    case 'object': {
      if (value === null) return null
      if (ancestors.length >= MAX_DEPTH) return TOO_DEEP
      if (ancestors.includes(value)) return CIRCULAR
      ancestors.push(value)
      const cleaned = Array.isArray(value)
        ? cleanArray(value, ancestors)
        : cleanObject(value as Record<string, unknown>, ancestors)
      ancestors.pop()
      return cleaned
    }
    default:
      return undefined
  }
}

function cleanArray(array: readonly unknown[], ancestors: object[]): JsonArray {
  let copy: JsonValue[] | undefined
  for (let i = 0; i < array.length; i++) {
    const item = clean(array[i], ancestors) ?? null
    if (copy === undefined && !Object.is(item, array[i])) copy = array.slice(0, i) as JsonValue[]
    copy?.push(item)
  }
  return copy ?? (array as JsonArray)
}

function cleanObject(object: Record<string, unknown>, ancestors: object[]): JsonObject {
  let copy: Record<string, JsonValue> | undefined = isPlain(object) ? undefined : {}
  const keys = Object.keys(object)
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string
    const name = normaliseText(key)
    const item = name === '__proto__' ? undefined : clean(object[key], ancestors)
    if (copy === undefined && (item === undefined || name !== key || !Object.is(item, object[key]))) {
      copy = {}
      for (const before of keys.slice(0, i)) copy[before] = object[before] as JsonValue
    }
    if (copy !== undefined && item !== undefined) copy[name] = item
  }
  return copy ?? (object as JsonObject)
}

/** Whether a JSON value is an object: neither null nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Plain in any realm: with `Object.prototype`, another window's, or none. */
function isPlain(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object)
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null
}
