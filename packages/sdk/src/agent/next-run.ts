import type { Receipt } from '../protocol/commands.ts'
import { runIdOf } from '../protocol/commands.ts'
import { unlessAborted } from '../protocol/unless-aborted.ts'
import { startWith } from './judge.ts'
import { type Prepared, prepareRun, runConfig } from './prepare.ts'
import { finishOf, goesOn, nextInput } from './run-end.ts'
import type { Ending, RunScope } from './run-scope.ts'

export interface NextRun {
  readonly id: string
  readonly prepared: Prepared
}

/**
 * Writes the end, and in the same append the start of the run that takes the queue's head. Undefined, and nothing is
 * written, when the run goes on after all or nothing waits any more.
 */
export async function finishIntoNext(run: RunScope, ending: Ending): Promise<NextRun | undefined> {
  const { home } = run
  let prepared: Prepared
  let input = nextInput(run, ending)
  for (;;) {
    if (input === undefined) return undefined
    const preparing = prepareRun(home, run.state.id, input.by)
    // The end of a run that is stopped does not wait for what another one needs.
    const ready = run.signal.aborted ? await preparing : await unlessAborted(run.signal, preparing)
    if (goesOn(run, ending)) return undefined
    if (ready === undefined) {
      input = nextInput(run, ending)
      continue
    }
    prepared = ready
    const head = nextInput(run, ending)
    if (head === input) break
    // Changed, taken back or stopped in the last moment.
    input = head
  }
  const { id: inputId } = input
  const id = runIdOf(inputId)
  const receipt: Receipt = { commandId: inputId, status: 'started', inputId, runId: id, messageId: inputId }
  const start = startWith(input, 'queue', runConfig(home, prepared, run.state), run.clock.now())
  run.sequence([finishOf(run, ending), ...start], { row: { openRun: id, parked: false }, receipts: [receipt] })
  return { id, prepared }
}
