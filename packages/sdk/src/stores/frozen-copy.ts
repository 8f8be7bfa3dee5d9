/**
 * A deeply frozen copy of plain data. What a store keeps is its own and cannot be changed through what it hands out,
 * so handing out costs nothing. Strings, the bulk of it, are shared. `undefined` and `__proto__` are left out, as JSON
 * text would.
 */
export function frozenCopy<T>(value: T): T {
  return copy(value) as T
}

function copy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return Object.freeze(value.map(copy))
  const result: Record<string, unknown> = {}
  // `for…in` takes a third of the time of Object.keys; plain data inherits nothing it could find.
  for (const key in value) {
    const item = (value as Record<string, unknown>)[key]
    if (item !== undefined && key !== '__proto__') result[key] = copy(item)
  }
  return Object.freeze(result)
}
