/** Fields that may be undefined, as fields that may be absent. */
type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** A copy without what is undefined. Its keys are ours: none comes from outside and could be `__proto__`. */
export function defined<const T extends object>(fields: T): Defined<T> {
  const copy: { -readonly [K in keyof T]?: T[K] } = {}
  // Not by `delete`, which makes every later copy of the object ten times as slow.
  for (const key in fields) if (fields[key] !== undefined) copy[key] = fields[key]
  return copy as unknown as Defined<T>
}
