import type { PermissionCall } from '../protocol/permissions.ts'
import type { Claim, Subject } from './claims.ts'
import { exactCommand } from './command-pattern.ts'
import { type Places, segmentsOf } from './paths.ts'
import { exactUrl } from './urls.ts'
import { escapeWildcard } from './wildcard.ts'

/** The rule for exactly this claim of this call; undefined where a rule would say more, or something else. */
export function exactRule(call: PermissionCall, claim: Claim, places: Places): string | undefined {
  const tool = call.toolName
  if (!/^[^\s()*\\]+$/.test(tool) || claim.unclear !== undefined) return undefined
  // A tool that declares nothing finer can only be allowed as a whole.
  if (claim.subject === undefined) return call.operations.length === 0 ? tool : undefined
  const pattern = exactPattern(claim.subject, places)
  return pattern === undefined ? undefined : `${tool}(${pattern})`
}

function exactPattern(subject: Subject, places: Places): string | undefined {
  switch (subject.type) {
    case 'command':
      return exactCommand(subject.words)
    case 'path':
      return exactPath(subject.path, subject.location.written.length, places)
    case 'redirect': {
      const path = exactPath(subject.path, subject.location.written.length, places)
      return path === undefined ? undefined : `${subject.direction} ${path}`
    }
    case 'url':
      return exactUrl(subject.url)
    default:
      return undefined
  }
}

/** Relative in the working directory, absolute elsewhere. A path of two meanings has no pattern. */
function exactPath(target: string, meanings: number, { cwd }: Places): string | undefined {
  if (meanings !== 1) return undefined
  const segments = segmentsOf(target.startsWith('/') ? target : `${cwd}/${target}`)
  if (segments.includes('**')) return undefined
  const path = `/${escapeWildcard(segments.join('/'))}`
  const folder = cwd === undefined ? undefined : `/${escapeWildcard(segmentsOf(cwd).join('/'))}/`
  return folder !== undefined && path.startsWith(folder) ? `./${path.slice(folder.length)}` : path
}
