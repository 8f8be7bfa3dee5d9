import { type JsonArray, type JsonValue, normaliseText } from '../protocol/json.ts'

/** Deeper and larger values than any model reads are cut here, so that nothing hangs. */
const MAX_DEPTH = 200
const MAX_NODES = 100_000

/**
 * Anything as plain JSON that says the most: dates and others by their `toJSON`, maps as objects or pairs, sets as arrays, bytes as base64,
 * bigints and numbers JSON has no word for as text, `[Circular]` for what contains itself. `undefined` becomes empty text,
 * which reads as "no output".
 *
 * Throws what the value's own getters, `toJSON` or proxies throw.
 */
export function serialise(value: unknown): JsonValue {
  const ancestors = new Set<object>()
  let nodes = 0

  function json(value: unknown): JsonValue | undefined {
    switch (typeof value) {
      case 'string':
        return normaliseText(value)
      case 'number':
        return Number.isFinite(value) ? (Object.is(value, -0) ? 0 : value) : String(value)
      case 'boolean':
        return value
      case 'bigint':
        return String(value)
      case 'object':
        return value === null ? null : object(value)
      default:
        return undefined
    }
  }

  /** Where JSON would have nothing, the model is told what was there. */
  function told(value: unknown): JsonValue {
    const written = json(value)
    if (written !== undefined) return written
    if (typeof value === 'function') return `[function ${value.name || 'without name'}]`
    return typeof value === 'symbol' ? String(value) : null
  }

  function object(value: object): JsonValue | undefined {
    if (ancestors.has(value)) return '[Circular]'
    if (ancestors.size >= MAX_DEPTH) return '[nested too deeply]'
    ancestors.add(value)
    const written = content(value)
    ancestors.delete(value)
    return written
  }

  function content(value: object): JsonValue | undefined {
    if (Array.isArray(value)) return items(value)
    if (value instanceof Map) return map(value)
    if (value instanceof Set) return items(value)
    if (value instanceof Error) return error(value)
    if (value instanceof RegExp || value instanceof URLSearchParams) return normaliseText(String(value))
    if (value instanceof ArrayBuffer) return bytes(new Uint8Array(value))
    if (ArrayBuffer.isView(value)) return view(value)
    if (value instanceof Number || value instanceof String || value instanceof Boolean) return json(value.valueOf())
    if ('toJSON' in value && typeof value.toJSON === 'function') return json(value.toJSON())
    return record(Object.entries(value))
  }

  function items(values: Iterable<unknown>): JsonArray {
    const written: JsonValue[] = []
    for (const value of values) {
      if (++nodes > MAX_NODES) {
        written.push('[too large]')
        break
      }
      written.push(value === undefined ? null : told(value))
    }
    return written
  }

  function record(entries: Iterable<readonly [string, unknown]>): JsonValue {
    const written: Record<string, JsonValue> = {}
    for (const [key, value] of entries) {
      if (++nodes > MAX_NODES) {
        written['…'] = '[too large]'
        break
      }
      const item = json(value)
      if (item !== undefined && key !== '__proto__') written[normaliseText(key)] = item
    }
    return written
  }

  function map(value: ReadonlyMap<unknown, unknown>): JsonValue {
    const entries = [...value]
    const named = entries.every((entry): entry is [string, unknown] => typeof entry[0] === 'string')
    return named ? record(entries as [string, unknown][]) : items(entries)
  }

  function error(value: Error): JsonValue {
    const { cause } = value
    const details = Object.entries(value).filter(([key]) => key !== 'stack')
    return record([
      ['name', value.name],
      ['message', value.message],
      ...(cause === undefined ? [] : [['cause', cause] as const]),
      ...details,
    ])
  }

  function view(value: ArrayBufferView): JsonValue {
    const isBytes = value instanceof Uint8Array || value instanceof Uint8ClampedArray || value instanceof DataView
    if (isBytes) return bytes(new Uint8Array(value.buffer, value.byteOffset, value.byteLength))
    return items(value as unknown as Iterable<unknown>)
  }

  return value === undefined ? '' : told(value)
}

function bytes(value: Uint8Array): JsonValue {
  const CHUNK = 0x8000
  let binary = ''
  for (let i = 0; i < value.length; i += CHUNK) binary += String.fromCharCode(...value.subarray(i, i + CHUNK))
  return { bytes: value.length, base64: btoa(binary) }
}
