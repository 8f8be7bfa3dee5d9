import type { Operation, OperationKind, PermissionCall } from '../protocol/permissions.ts'
import { type Location, locate, type Places } from './paths.ts'
import { readCommandLine } from './shell.ts'
import { urlOddity } from './urls.ts'

/** What a pattern is held against. */
export type Subject =
  | { readonly type: 'command'; readonly words: readonly string[] }
  | { readonly type: 'path'; readonly path: string; readonly location: Location }
  | { readonly type: 'redirect'; readonly direction: '<' | '>'; readonly path: string; readonly location: Location }
  | { readonly type: 'url'; readonly url: string }
  | { readonly type: 'text'; readonly text: string }

/** One thing a call would do. The call is allowed when each of them is. */
export interface Claim {
  readonly kind: OperationKind
  /** Absent when no target was named. */
  readonly subject?: Subject
  /** For rules that deny or ask alone: it is part of another claim. */
  readonly isHidden?: true
  /** A path that lies in the working directory, links followed. */
  readonly isInside?: boolean
  /** Why no pattern can allow it. */
  readonly unclear?: string
}

/** Never rejects. At least one claim that is not hidden. */
export async function claimsOf(call: PermissionCall, places: Places): Promise<readonly Claim[]> {
  const { operations } = call
  if (operations.length === 0) return [{ kind: call.effect === 'read' ? 'read' : 'other' }]
  return (await Promise.all(operations.map((operation) => claims(operation, places)))).flat()
}

async function claims({ kind, target }: Operation, places: Places): Promise<readonly Claim[]> {
  if (target === undefined) return [{ kind, ...(kind !== 'other' && { unclear: 'it does not say on what' }) }]
  switch (kind) {
    case 'read':
    case 'write': {
      const location = await locate(target, places)
      return [{ kind, subject: { type: 'path', path: target, location }, ...known(location) }]
    }
    case 'execute':
      return commandClaims(target, places)
    case 'network': {
      const unclear = urlOddity(target)
      return [{ kind, subject: { type: 'url', url: target }, ...(unclear !== undefined && { unclear }) }]
    }
    default:
      return [{ kind, subject: { type: 'text', text: target } }]
  }
}

async function commandClaims(source: string, places: Places): Promise<readonly Claim[]> {
  const { commands, hidden, redirects, hiddenRedirects, unclear } = readCommandLine(source)
  const doubt = unclear === undefined ? {} : { unclear }
  const found: Claim[] = []
  if (commands.length === 0) found.push({ kind: 'execute', ...doubt })
  for (const words of commands) found.push({ kind: 'execute', subject: { type: 'command', words }, ...doubt })
  for (const words of hidden) found.push({ kind: 'execute', subject: { type: 'command', words }, isHidden: true })
  for (const [list, mark] of [
    [redirects, {}],
    [hiddenRedirects, { isHidden: true }],
  ] as const) {
    for (const { direction, path } of list) {
      const location = await locate(path, places)
      const subject: Subject = { type: 'redirect', direction, path, location }
      // What a program is fed may be a program: reading it is judged as running it.
      found.push({ kind: direction === '>' ? 'write' : 'execute', subject, ...known(location), ...doubt, ...mark })
    }
  }
  return found
}

function known({ isInside, unclear }: Location): { isInside: boolean; unclear?: string } {
  return { isInside, ...(unclear !== undefined && { unclear }) }
}
