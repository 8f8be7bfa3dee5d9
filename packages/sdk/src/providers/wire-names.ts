import { shortHash } from './hash.ts'

const LEGAL = /^[a-zA-Z0-9_-]{1,64}$/
const MAX_LENGTH = 64
const HASH_LENGTH = 7

export interface WireNames {
  /** Also for tools that are gone but still stand in the history. */
  toWire(name: string): string
  /** A name the model made up comes back as it is: the tools know that there is none. */
  fromWire(wireName: string): string
}

/**
 * Tool names as every API accepts them. A legal name stays as it is; any other gets a suffix made from the whole name
 * and from nothing else, so that it is the same in every request, whichever tools are on and in whichever order.
 */
export function wireNames(names: readonly string[]): WireNames {
  const wire = new Map<string, string>()
  const own = new Map<string, string>()
  const add = (name: string): string => {
    let candidate = LEGAL.test(name) ? name : suffixed(name, name)
    for (let n = 1; own.has(candidate); n++) candidate = suffixed(name, `${name}#${n}`)
    wire.set(name, candidate)
    own.set(candidate, name)
    return candidate
  }
  // Legal names first, the rest sorted: should two meet after all, the outcome does not depend on their order.
  const distinct = [...new Set(names)]
  for (const name of distinct) if (LEGAL.test(name)) add(name)
  for (const name of distinct.filter((each) => !LEGAL.test(each)).sort()) add(name)
  return {
    toWire: (name) => wire.get(name) ?? add(name),
    fromWire: (wireName) => own.get(wireName) ?? wireName,
  }
}

function suffixed(name: string, hashed: string): string {
  const readable = name.replace(/[^a-zA-Z0-9_-]+/g, '_').slice(0, MAX_LENGTH - HASH_LENGTH - 1)
  return `${readable}_${shortHash(hashed).slice(-HASH_LENGTH)}`
}
