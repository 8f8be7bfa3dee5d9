import { ConfigError, thrownText } from '../protocol/errors.ts'
import type { Decision, PermissionCall, PermissionPolicy, PermissionRules } from '../protocol/permissions.ts'
import { type Claim, claimsOf } from './claims.ts'
import { checkLevel, isAbovePlan, levelVerdict, type PermissionLevel } from './levels.ts'
import { memoryRules, type RuleMemory } from './memory.ts'
import type { Places } from './paths.ts'
import { allows, isAbout, type Rule, readRule, touches } from './rules.ts'
import { exactRule } from './suggest.ts'

export interface PermissionOptions extends Places {
  /** Default `default`. */
  readonly level?: PermissionLevel
  readonly rules?: PermissionRules
  /** Where answered requests are remembered. Default: in this process. */
  readonly memory?: RuleMemory
  /** Nobody is there to be asked: what would be asked is denied. */
  readonly unattended?: boolean
}

/** Decides by rules and a level. Throws `config.invalid` for a rule, a level or a place that cannot be right. */
export function permissions(options: PermissionOptions = {}): PermissionPolicy {
  const { rules = {}, memory = memoryRules(), unattended = false } = options
  const level = checkLevel(options.level ?? 'default')
  const places = checkPlaces(options)
  const read = (text: string): Rule => readRule(text, places)
  const deny = (rules.deny ?? []).map(read)
  const ask = (rules.ask ?? []).map(read)
  const allow = (rules.allow ?? []).map(read)
  const remembered = rememberedRules(memory, read)

  async function judge(call: PermissionCall): Promise<Decision> {
    const about = (rule: Rule): boolean => isAbout(rule, call.toolName)
    const claims = await claimsOf(call, places)
    const denying = deny.filter(about)
    const asking = ask.filter(about)

    const forbidden = await firstTouching(denying, claims)
    if (forbidden) return byRule('deny', forbidden, 'The rule %s denies it.')
    if (isAbovePlan(level, call, claims)) {
      return { verdict: 'deny', by: 'level', reason: 'The level "plan" lets nothing change anything.' }
    }
    const questioned = await firstTouching(asking, claims)
    if (questioned) return byRule('ask', questioned, 'The rule %s wants it asked.')

    // What is not understood might be what one of these patterns is about.
    const doubtful = claims.find(({ unclear }) => unclear !== undefined)
    if (doubtful && [...denying, ...asking].some(({ pattern }) => pattern !== undefined)) {
      return byLevel('ask', `Rules restrict ${call.toolName}, and ${unclearText(doubtful)}.`)
    }

    const allowing = [...allow, ...(await remembered(call))].filter(about)
    const open: Claim[] = []
    let rule: Rule | undefined
    for (const claim of claims) {
      if (claim.isHidden) continue
      const covering = await firstAllowing(allowing, claim)
      rule ??= covering
      if (covering === undefined && levelVerdict(level, claim) !== 'allow') open.push(claim)
    }
    const [first, second] = open
    if (first === undefined && rule === undefined && call.needsApproval && level !== 'bypass') {
      return byLevel('ask', 'The tool wants it approved by a person.')
    }
    if (first === undefined) {
      return rule === undefined
        ? byLevel('allow', `The level "${level}" allows it.`)
        : byRule('allow', rule, 'The rule %s allows it.')
    }
    const suggestedRule = second === undefined ? await provenRule(call, first) : undefined
    return { ...byLevel('ask', openText(level, first)), ...(suggestedRule !== undefined && { suggestedRule }) }
  }

  /** A suggestion is tried before it is made. */
  async function provenRule(call: PermissionCall, claim: Claim): Promise<string | undefined> {
    const text = exactRule(call, claim, places)
    if (text === undefined) return undefined
    try {
      const rule = read(text)
      return isAbout(rule, call.toolName) && (await allows(rule, claim)) ? text : undefined
    } catch {
      return undefined
    }
  }

  async function decide(call: PermissionCall): Promise<Decision> {
    let decision: Decision
    try {
      decision = await judge(call)
    } catch (thrown) {
      decision = byLevel('ask', `It could not be judged: ${thrownText(thrown)}`)
    }
    if (!unattended || decision.verdict !== 'ask') return decision
    return { ...decision, verdict: 'deny', by: 'unattended', reason: `Nobody is there to be asked. ${decision.reason}` }
  }

  return {
    decide,
    async remember(call, exit) {
      const { suggestedRule } = await decide(call)
      if (suggestedRule === undefined) return
      await memory.remember(suggestedRule, exit === 'allow-session' ? 'session' : 'always', owner(call))
    },
    withRules: (more) => permissions({ ...options, memory, rules: joinedRules(rules, more) }),
  }
}

function joinedRules(some: PermissionRules, more: PermissionRules): PermissionRules {
  const joined = (kind: keyof PermissionRules): readonly string[] => [...(some[kind] ?? []), ...(more[kind] ?? [])]
  return { allow: joined('allow'), ask: joined('ask'), deny: joined('deny') }
}

function checkPlaces({ cwd, home, realpath }: Places): Places {
  for (const [name, path] of Object.entries({ cwd, home })) {
    if (path !== undefined && !path.startsWith('/')) {
      throw new ConfigError('config.invalid', `permissions() needs an absolute "${name}" with slashes, not "${path}".`)
    }
  }
  return {
    ...(cwd !== undefined && { cwd }),
    ...(home !== undefined && { home }),
    ...(realpath !== undefined && { realpath }),
  }
}

/** Rules are read once; those that cannot be read, and a memory that fails, allow nothing. */
function rememberedRules(memory: RuleMemory, read: (text: string) => Rule) {
  const known = new Map<string, Rule | undefined>()
  return async (call: PermissionCall): Promise<readonly Rule[]> => {
    let texts: readonly string[]
    try {
      texts = await memory.load(owner(call))
    } catch {
      return []
    }
    for (const text of texts) {
      if (!known.has(text)) known.set(text, readable(text, read))
    }
    return texts.map((text) => known.get(text)).filter((rule) => rule !== undefined)
  }
}

function readable(text: string, read: (text: string) => Rule): Rule | undefined {
  try {
    return read(text)
  } catch {
    return undefined
  }
}

function owner({ sessionId, principal }: PermissionCall): { sessionId: string; principal?: string } {
  return { sessionId, ...(principal !== undefined && { principal }) }
}

async function firstTouching(rules: readonly Rule[], claims: readonly Claim[]): Promise<Rule | undefined> {
  for (const rule of rules) for (const claim of claims) if (await touches(rule, claim)) return rule
  return undefined
}

async function firstAllowing(rules: readonly Rule[], claim: Claim): Promise<Rule | undefined> {
  for (const rule of rules) if (await allows(rule, claim)) return rule
  return undefined
}

function byRule(verdict: Decision['verdict'], rule: Rule, text: string): Decision {
  return { verdict, by: 'rule', reason: text.replace('%s', () => rule.text), rule: rule.text }
}

function byLevel(verdict: Decision['verdict'], reason: string): Decision {
  return { verdict, by: 'level', reason }
}

const SUBJECTS = { execute: 'the command', network: 'the address', other: 'the call' } as const

function unclearText({ kind, unclear }: Claim): string {
  const subject = kind === 'read' || kind === 'write' ? 'the path' : SUBJECTS[kind]
  return `${subject} is not fully understood: ${unclear}`
}

function openText(level: PermissionLevel, claim: Claim): string {
  const why = claim.unclear === undefined ? 'no rule allows it' : unclearText(claim)
  return `At the level "${level}" this is asked: ${why}.`
}
