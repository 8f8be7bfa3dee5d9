import type { Receipt } from '../protocol/commands.ts'
import { runIdOf } from '../protocol/commands.ts'
import type { EventDraft } from '../protocol/events.ts'
import { settleOpenCalls } from './calls.ts'
import { startWith } from './judge.ts'
import { type Prepared, prepareRun, runConfig } from './prepare.ts'
import type { Ending, RunScope } from './run-scope.ts'
import { takeTurn } from './turn.ts'

/**
 * A run, from its `run-start` to its `finish`. Resolves with the run that follows it, when the queue had one.
 * After a fault it stops without a word: the next owner of the session writes the end.
 */
export async function runToFinish(run: RunScope): Promise<NextRun | undefined> {
  let ending = run.problem ? { reason: 'error' as const, error: run.problem.toJSON() } : await settleOpenCalls(run)
  while (ending === undefined) {
    takeSteers(run)
    ending = run.turns >= run.maxTurns ? { reason: 'max-turns' } : await takeTurn(run)
    if (ending?.reason === 'stop' && run.state.pending.lanes.steer.length > 0) ending = undefined
  }
  return finish(run, ending)
}

/** Steers go in before a model request, all of them, in order. Their message is the receipt that the request has them. */
export function takeSteers(run: RunScope): void {
  const { steer } = run.state.pending.lanes
  if (steer.length === 0 || run.isStopping) return
  const at = run.clock.now()
  run.sequence(
    steer.map(({ id, parts, by }): EventDraft => {
      const author = by === undefined ? {} : { by }
      const message = { role: 'user' as const, id, at, runId: run.id, placed: 'steer' as const, parts, ...author }
      return { type: 'message', runId: run.id, message, ...author }
    }),
    {
      receipts: steer.map(
        ({ id }): Receipt => ({ commandId: id, status: 'steered', inputId: id, runId: run.id, messageId: id }),
      ),
    },
  )
}

export interface NextRun {
  readonly id: string
  readonly by: string | undefined
  readonly prepared: Prepared
}

/** Writes the end, and in the same append the start of the run that takes the queue's head. */
async function finish(run: RunScope, ending: Ending): Promise<NextRun | undefined> {
  let prepared: Prepared | undefined
  let next = nextInput(run, ending)
  while (next !== undefined) {
    const { id, by } = next
    prepared = await prepareRun(run.runtime, run.state.id, by)
    next = nextInput(run, ending)
    if (next?.id === id) break
  }
  const { runtime, state } = run
  const end: EventDraft = {
    type: 'finish',
    runId: run.id,
    ...(run.isStopping ? { reason: 'aborted' } : ending),
    usage: { run: state.usage.run, total: state.usage.total },
    ...run.models,
  }
  if (next === undefined || prepared === undefined) {
    run.sequence([end], { row: { openRun: null, parked: false } })
    return undefined
  }
  const { id: inputId, by } = next
  const id = runIdOf(inputId)
  const receipt: Receipt = { commandId: inputId, status: 'started', inputId, runId: id, messageId: inputId }
  run.sequence([end, ...startWith(next, 'queue', runConfig(runtime, prepared, state), run.clock.now())], {
    row: { openRun: id, parked: false },
    receipts: [receipt],
  })
  return { id, by, prepared }
}

/** The queue goes on after `stop`; after an abort only with what was sent since. Any other ending leaves it to a person. */
function nextInput(run: RunScope, ending: Ending) {
  return ending.reason === 'stop' || run.isStopping ? run.state.pending.lanes.queue[0] : undefined
}
