import type { ConformanceCase } from './conformance.ts'
import { inboxRules } from './store-rules/inbox.ts'
import { leaseRules } from './store-rules/leases.ts'
import { ledgerRules, reopenLedgerRules } from './store-rules/ledger.ts'
import { logRules, reopenRules } from './store-rules/log.ts'
import { rowRules } from './store-rules/rows.ts'
import { corruptRules, valueRules } from './store-rules/values.ts'
import { casesOf, type StoreConformanceOptions } from './store-rules/world.ts'

export type { StoreConformanceOptions }

/** The contract of `SessionStore`, rule by rule. */
export function storeConformance(options: StoreConformanceOptions): ConformanceCase[] {
  const rules = [...rowRules, ...leaseRules, ...logRules, ...inboxRules, ...ledgerRules, ...valueRules]
  if (options.reopen) rules.push(...reopenRules, ...reopenLedgerRules)
  if (options.corrupt) rules.push(...corruptRules)
  return casesOf(rules, options)
}
