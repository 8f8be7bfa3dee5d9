import { isParked, nextDeadline } from './deadlines.ts'
import { GOES_ON, NO_OPEN_RUN } from './judge.ts'
import { closedCall, closeRun } from './recover.ts'
import type { AgentRuntime } from './runtime.ts'
import type { Sequencer } from './sequencer.ts'

/** Closes the run that a dead owner left open, or brings it so far that it can go on: then `go-on`. */
export async function recoverRun(runtime: AgentRuntime, sequencer: Sequencer): Promise<'closed' | 'parked' | 'go-on'> {
  await settleReservations(runtime, sequencer.state.id)
  const { state } = sequencer
  if (isParked(state)) return recoverParked(runtime, sequencer)
  if (state.run?.stopping || runtime.onInterrupted === 'finish') {
    sequencer.sequence(closeRun(state, 'interrupted'), { row: NO_OPEN_RUN })
    await sequencer.stored()
    return 'closed'
  }
  const usage = closedCall(state)
  if (usage) sequencer.sequence([usage])
  return 'go-on'
}

/** What a dead owner reserved and never settled stands at its estimate. */
async function settleReservations({ budget, store }: AgentRuntime, sessionId: string): Promise<void> {
  if (budget === undefined) return
  for (const { key } of await store.ledger.open(sessionId)) await store.ledger.settle(key, {})
}

/** It stays parked, unless the time of a request is over. */
function recoverParked({ clock }: AgentRuntime, sequencer: Sequencer): 'parked' | 'go-on' {
  const wakeAt = nextDeadline(sequencer.state)
  const isDue = wakeAt !== undefined && wakeAt <= clock.now()
  sequencer.sequence([], { row: isDue ? GOES_ON : { parked: true, wakeAt: wakeAt ?? null } })
  return isDue ? 'go-on' : 'parked'
}
