import { legalNames, type NameRule } from './legal-names.ts'

const HASH_LENGTH = 7

const TOOL_NAMES: NameRule = {
  legal: /^[a-zA-Z0-9_-]{1,64}$/,
  derive(hash, name) {
    const readable = name.replace(/[^a-zA-Z0-9_-]+/g, '_').slice(0, 64 - HASH_LENGTH - 1)
    return `${readable}_${hash.slice(-HASH_LENGTH)}`
  },
}

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
export function wireNames(tools: readonly string[]): WireNames {
  const names = legalNames(TOOL_NAMES)
  // Legal names first, the rest sorted: should two meet after all, the outcome does not depend on their order.
  const isLegal = (name: string) => TOOL_NAMES.legal.test(name)
  for (const name of tools.filter(isLegal)) names.of(name)
  for (const name of tools.filter((name) => !isLegal(name)).sort()) names.of(name)
  return {
    toWire: (name) => names.of(name),
    fromWire: (wireName) => names.keyOf(wireName) ?? wireName,
  }
}
