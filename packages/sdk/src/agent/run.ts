import { settleOpenCalls } from './calls.ts'
import { NO_OPEN_RUN } from './judge.ts'
import { rare } from './late.ts'
import type { NextRun } from './next-run.ts'
import { finishOf, goesOn, nextInput } from './run-end.ts'
import type { Ending, RunScope } from './run-scope.ts'
import { takeTurn } from './turn.ts'

/**
 * A run, from its `run-start` to its `finish`. Resolves with the run that follows it, when the queue had one, and with
 * `parked` when nothing but the answer to a request can take it further: then it is begun again with that answer.
 * After a fault it stops without a word: the next owner of the session writes the end.
 */
export async function runToFinish(run: RunScope): Promise<NextRun | 'parked' | undefined> {
  if (run.prepared.problem) {
    const { closeRun } = await rare()
    run.sequence(closeRun(run.state, 'error', run.prepared.problem.toJSON()), { row: NO_OPEN_RUN })
    return undefined
  }
  if (run.hooks) await (await run.hooks()).beginSession(run)
  if ((await settleOpenCalls(run)) === 'parked') return 'parked'
  for (;;) {
    const ending = await takeTurns(run)
    if (ending === 'parked') return ending
    while (!goesOn(run, ending)) {
      if (nextInput(run, ending) === undefined) {
        run.sequence([finishOf(run, ending)], { row: NO_OPEN_RUN })
        return undefined
      }
      const next = await (await rare()).finishIntoNext(run, ending)
      if (next !== undefined) return next
    }
  }
}

/** Turns until one of them ends the run. It does not stop while someone steers it. */
async function takeTurns(run: RunScope): Promise<Ending | 'parked'> {
  let ending: Ending | 'parked' | undefined
  if (!run.tookTurn && run.state.run?.replyStop !== undefined) ending = await (await rare()).endingLeftBehind(run)
  for (;;) {
    if (ending === 'parked') return ending
    if (ending !== undefined && !goesOn(run, ending)) {
      const last = await lastWord(run, ending)
      if (last !== undefined) return last
    }
    if (run.turns >= run.maxTurns + run.graceTurns && run.openReply === undefined) return { reason: 'max-turns' }
    if (run.hooks) await (await run.hooks()).beforeTurn(run)
    if (run.isSteered) (await rare()).takeSteers(run)
    ending = await takeTurn(run)
  }
}

/** What a run that would end comes to; undefined when the model is asked again. */
async function lastWord(run: RunScope, ending: Ending): Promise<Ending | undefined> {
  if (ending.reason !== 'stop') return ending
  if (run.turns > run.maxTurns) return { reason: 'max-turns' }
  const output = run.state.run?.config.output
  const last = output === undefined ? ending : await (await rare()).outputEnding(run, output)
  return last?.reason === 'stop' && run.hooks ? (await run.hooks()).verifyStop(run, last) : last
}
