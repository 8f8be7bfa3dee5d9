/** Whose rules. */
export interface RuleOwner {
  readonly sessionId: string
  readonly principal?: string
}

/** `session`: for this session alone. `always`: for every session of the principal; of all, where none is known. */
export type RuleScope = 'session' | 'always'

/**
 * Keeps the rules people gave by answering a request. Rules allow, nothing else, and a rule that cannot be read is
 * ignored.
 */
export interface RuleMemory {
  /** All rules in force for the owner, of both scopes. May reject: the decision is then made without them. */
  load(owner: RuleOwner): readonly string[] | Promise<readonly string[]>
  /** The same rule again changes nothing. Rejects when it was not kept. */
  remember(rule: string, scope: RuleScope, owner: RuleOwner): void | Promise<void>
}

/** Remembers as long as the process lives. */
export function memoryRules(): RuleMemory {
  const bySession = new Map<string, Set<string>>()
  const byPrincipal = new Map<string | undefined, Set<string>>()
  return {
    load({ sessionId, principal }) {
      return [...(bySession.get(sessionId) ?? []), ...(byPrincipal.get(principal) ?? [])]
    },
    remember(rule, scope, { sessionId, principal }) {
      if (scope === 'session') add(bySession, sessionId, rule)
      else add(byPrincipal, principal, rule)
    },
  }
}

function add<K>(rules: Map<K, Set<string>>, key: K, rule: string): void {
  const known = rules.get(key)
  if (known === undefined) rules.set(key, new Set([rule]))
  else known.add(rule)
}
