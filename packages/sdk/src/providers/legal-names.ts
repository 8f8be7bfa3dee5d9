import { shortHash } from './hash.ts'

/** Which names an endpoint accepts. */
export interface NameRule {
  readonly legal: RegExp
  /** A legal name from 11 characters of [0-9a-z], which stand for the key. */
  derive(hash: string, key: string): string
}

export interface LegalNames {
  /** The name of a key: what is wanted where it is legal and free, else the key itself, else one made from the key. */
  of(key: string, wanted?: string): string
  /** The key of a name; undefined for one that was not given here. */
  keyOf(name: string): string | undefined
}

/** Names that an endpoint accepts: distinct for distinct keys, and the same for a key every time. */
export function legalNames({ legal, derive }: NameRule): LegalNames {
  const names = new Map<string, string>()
  const keys = new Map<string, string>()

  function add(key: string, wanted: string): string {
    let name = wanted
    for (let n = 0; !legal.test(name) || keys.has(name); n++) {
      name = n === 0 && legal.test(key) ? key : derive(shortHash(n === 0 ? key : `${key}#${n}`), key)
    }
    names.set(key, name)
    keys.set(name, key)
    return name
  }

  return {
    of: (key, wanted = key) => names.get(key) ?? add(key, wanted),
    keyOf: (name) => keys.get(name),
  }
}
