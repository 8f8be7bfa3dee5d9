import { reportThrown } from './system.ts'

type Listener = () => void

/** Who is told of what. One that throws harms no other. */
export class Listeners<Key> {
  readonly #byKey = new Map<Key, Set<{ readonly call: Listener }>>()

  get isEmpty(): boolean {
    return this.#byKey.size === 0
  }

  /** Returns the removal. The same function may be added more than once. */
  add(key: Key, listener: Listener): () => void {
    const entry = { call: listener }
    const set = this.#byKey.get(key) ?? new Set()
    this.#byKey.set(key, set.add(entry))
    return () => {
      if (set.delete(entry) && set.size === 0 && this.#byKey.get(key) === set) this.#byKey.delete(key)
    }
  }

  /** Calls those who listen now to any of the keys, unless they are removed meanwhile. */
  notify(keys: Iterable<Key>): void {
    const told = [...keys].flatMap((key) => {
      const set = this.#byKey.get(key)
      return set === undefined ? [] : [...set].map((entry) => ({ set, entry }))
    })
    for (const { set, entry } of told) {
      if (!set.has(entry)) continue
      try {
        entry.call()
      } catch (thrown) {
        reportThrown(thrown)
      }
    }
  }

  clear(): void {
    for (const set of this.#byKey.values()) set.clear()
    this.#byKey.clear()
  }
}
