import type { ToolCallPart } from '../protocol/messages.ts'
import { legalNames, type NameRule } from './legal-names.ts'

export const CALL_IDS: NameRule = { legal: /^[a-zA-Z0-9_-]{1,64}$/, derive: (hash) => `call_${hash}` }

/**
 * The ids of one request's calls. The provider's own id where the endpoint accepts it and no earlier call has it, else
 * one made from `callId`: distinct for distinct calls, the same for a call and its result, and in every request.
 */
export function wireIds(rule: NameRule): (call: Pick<ToolCallPart, 'callId' | 'providerCallId'>) => string {
  const ids = legalNames(rule)
  return ({ callId, providerCallId }) => ids.of(callId, providerCallId)
}
