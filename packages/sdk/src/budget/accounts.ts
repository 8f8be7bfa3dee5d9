import type { Budget } from '../protocol/budget.ts'
import type { AttemptKey, LedgerAccount } from '../protocol/ledger.ts'

/** How much of an ISO time names the hour, day or month. */
const WINDOWS = { hour: 13, day: 10, month: 7 } as const

/** The account a budget is counted in; undefined for one that looks at each call by itself. */
export function accountOf(
  { per, scope }: Budget,
  { sessionId, runId }: Pick<AttemptKey, 'sessionId' | 'runId'>,
  at: number,
): LedgerAccount | undefined {
  if (per === 'call') return undefined
  if (per === 'run') return { sessionId, name: `run ${runId}` }
  if (per === 'session') return { sessionId, name: 'session' }
  const window = per === 'total' ? 'total' : `${per} ${new Date(at).toISOString().slice(0, WINDOWS[per])}`
  return { name: scope === undefined ? window : `${window} ${scope}` }
}
