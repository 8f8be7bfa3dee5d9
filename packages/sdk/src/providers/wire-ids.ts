import type { ToolCallPart } from '../protocol/messages.ts'
import { shortHash } from './hash.ts'

/** Which call ids an endpoint accepts. */
export interface CallIdRule {
  readonly legal: RegExp
  /** A legal id made from 11 characters of [0-9a-z]. */
  derive(hash: string): string
}

export const CALL_IDS: CallIdRule = { legal: /^[a-zA-Z0-9_-]{1,64}$/, derive: (hash) => `call_${hash}` }

/**
 * The ids of one request's calls. The provider's own id where the endpoint accepts it and no earlier call has it, else
 * one made from `callId`: distinct for distinct calls, the same for a call and its result, and in every request.
 */
export function wireIds(rule: CallIdRule): (call: Pick<ToolCallPart, 'callId' | 'providerCallId'>) => string {
  const byCall = new Map<string, string>()
  const used = new Set<string>()
  return ({ callId, providerCallId }) => {
    const known = byCall.get(callId)
    if (known !== undefined) return known
    let id = providerCallId ?? callId
    for (let n = 0; !rule.legal.test(id) || used.has(id); n++) {
      id = n === 0 && rule.legal.test(callId) ? callId : rule.derive(shortHash(n === 0 ? callId : `${callId}#${n}`))
    }
    byCall.set(callId, id)
    used.add(id)
    return id
  }
}
