import { ConfigError } from '../protocol/errors.ts'
import type { Decision, OperationKind, PermissionCall } from '../protocol/permissions.ts'
import type { Claim } from './claims.ts'

/**
 * What happens where no rule speaks. `plan`: nothing that changes anything. `default`: reads in the working directory,
 * and asks. `acceptEdits`: writes there too. `auto`: also runs every command it fully understands, network and other
 * tools. `bypass`: everything.
 */
export type PermissionLevel = 'plan' | 'default' | 'acceptEdits' | 'auto' | 'bypass'

type Verdict = Decision['verdict']
/** `inside`: allowed in the working directory. `clear`: allowed when fully understood. Asked otherwise. */
type Entry = Verdict | 'inside' | 'clear'

const LEVELS: Readonly<Record<PermissionLevel, Readonly<Record<OperationKind, Entry>>>> = {
  plan: { read: 'inside', write: 'deny', execute: 'ask', network: 'ask', other: 'ask' },
  default: { read: 'inside', write: 'ask', execute: 'ask', network: 'ask', other: 'ask' },
  acceptEdits: { read: 'inside', write: 'inside', execute: 'ask', network: 'ask', other: 'ask' },
  auto: { read: 'inside', write: 'inside', execute: 'clear', network: 'clear', other: 'allow' },
  bypass: { read: 'allow', write: 'allow', execute: 'allow', network: 'allow', other: 'allow' },
}

export function checkLevel(level: PermissionLevel): PermissionLevel {
  if (Object.hasOwn(LEVELS, level)) return level
  const known = Object.keys(LEVELS).join(', ')
  throw new ConfigError('config.invalid', `There is no permission level "${String(level)}". The levels are ${known}.`)
}

/** In `plan` no rule lets through what may change something. */
export function isAbovePlan(level: PermissionLevel, call: PermissionCall, claims: readonly Claim[]): boolean {
  return (
    level === 'plan' && (call.effect !== 'read' || claims.some(({ kind, isHidden }) => kind === 'write' && !isHidden))
  )
}

export function levelVerdict(level: PermissionLevel, claim: Claim): Verdict {
  const entry = LEVELS[level][claim.kind]
  switch (entry) {
    case 'inside':
      // A read that names no place is a tool that only looks something up.
      return claim.isInside || (claim.kind === 'read' && claim.subject === undefined) ? 'allow' : 'ask'
    case 'clear':
      return claim.unclear === undefined ? 'allow' : 'ask'
    default:
      return entry
  }
}
