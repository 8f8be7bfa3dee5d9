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
      // `-0 + 0` is 0.
      return Number.isFinite(value) ? value + 0 : null
    case 'boolean':
      return value
    case 'object': {
      if (value === null) return null
      if (ancestors.length >= MAX_DEPTH) return TOO_DEEP
      if (ancestors.includes(value)) return CIRCULAR
      ancestors.push(value)
      const cleaned = Array.isArray(value) ? cleanArray(value, ancestors) : cleanObject(value, ancestors)
      ancestors.pop()
      return cleaned
    }
  }
  return undefined
}

function cleanArray(array: readonly unknown[], ancestors: object[]): JsonArray {
  const copy: JsonValue[] = []
  let isClean = true
  for (const value of array) {
    const item = clean(value, ancestors) ?? null
    copy.push(item)
    if (!Object.is(item, value)) isClean = false
  }
  return isClean ? (array as JsonArray) : copy
}

function cleanObject(object: object, ancestors: object[]): JsonObject {
  const copy: Record<string, JsonValue> = {}
  let isClean = isPlain(object)
  for (const key of Object.keys(object)) {
    const value = (object as Record<string, unknown>)[key]
    const name = normaliseText(key)
    const item = name === '__proto__' ? undefined : clean(value, ancestors)
    if (item !== undefined) copy[name] = item
    if (item === undefined || name !== key || !Object.is(item, value)) isClean = false
  }
  return isClean ? (object as JsonObject) : copy
}

/** Undefined for text that is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether a JSON value is an object: neither null nor an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Plain in any realm: with `Object.prototype`, another window's, or none. */
function isPlain(object: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(object)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
