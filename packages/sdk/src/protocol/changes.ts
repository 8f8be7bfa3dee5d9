import { defined } from './fields.ts'

/** The object with some fields changed, `undefined` taking one away; the same object when none of them differs. */
export function changed<T extends object>(object: T, fields: { readonly [K in keyof T]?: T[K] | undefined }): T {
  for (const key in fields) {
    if (fields[key] !== object[key]) return defined({ ...object, ...fields }) as unknown as T
  }
  return object
}

/** The object with a patch over it, in which `null` takes a field away. */
export function patched<T extends object>(object: T, patch: object): T {
  return Object.fromEntries(Object.entries({ ...object, ...patch }).filter(([, value]) => value !== null)) as T
}

/** A record without an entry, whatever its key is called; the same record when it has none. */
export function without<T>(record: Readonly<Record<string, T>>, key: string): Readonly<Record<string, T>> {
  if (!Object.hasOwn(record, key)) return record
  const { [key]: _gone, ...others } = record
  return others
}
