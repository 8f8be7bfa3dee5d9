import type { Receipt } from '../protocol/commands.ts'
import { runIdOf } from '../protocol/commands.ts'
import type { EventDraft } from '../protocol/events.ts'
import type { Input } from '../protocol/state.ts'
import { settleOpenCalls } from './calls.ts'
import { NO_OPEN_RUN, startWith } from './judge.ts'
import { type Prepared, prepareRun, runConfig } from './prepare.ts'
import type { Ending, RunScope } from './run-scope.ts'
import { endingLeftBehind, takeTurn } from './turn.ts'

/**
 * A run, from its `run-start` to its `finish`. Resolves with the run that follows it, when the queue had one, and with
 * `parked` when nothing but the answer to a request can take it further: then it is begun again with that answer.
 * After a fault it stops without a word: the next owner of the session writes the end.
 */
export async function runToFinish(run: RunScope): Promise<NextRun | 'parked' | undefined> {
  if (run.problem) {
    const { closeRun } = await import('./rare.ts')
    run.sequence(closeRun(run.state, 'error', run.problem.toJSON()), { row: NO_OPEN_RUN })
    return undefined
  }
  if ((await settleOpenCalls(run)) === 'parked') return 'parked'
  for (;;) {
    const ending = await takeTurns(run)
    if (ending === 'parked') return ending
    let next = await prepareNext(run, ending)
    // Changed, taken back or stopped in the last moment.
    while (nextInput(run, ending) !== next?.input) next = await prepareNext(run, ending)
    // A steer that came while the next run was prepared is still this one's.
    if (ending.reason !== 'stop' || !run.isSteered) return finish(run, ending, next)
  }
}

/** Turns until one of them ends the run. It does not stop while someone steers it. */
async function takeTurns(run: RunScope): Promise<Ending | 'parked'> {
  let ending: Ending | 'parked' | undefined = run.tookTurn ? undefined : endingLeftBehind(run)
  for (;;) {
    if (ending === 'parked') return ending
    if (ending !== undefined && !(ending.reason === 'stop' && run.isSteered)) {
      const last = await lastWord(run, ending)
      if (last !== undefined) return last
    }
    if (run.turns >= run.maxTurns + run.graceTurns && run.openReply === undefined) return { reason: 'max-turns' }
    takeSteers(run)
    ending = await takeTurn(run)
  }
}

/** What a run that would end comes to; undefined when the model is asked for its output again. */
async function lastWord(run: RunScope, ending: Ending): Promise<Ending | undefined> {
  if (ending.reason !== 'stop') return ending
  if (run.turns > run.maxTurns) return { reason: 'max-turns' }
  const output = run.state.run?.config.output
  return output === undefined ? ending : (await import('./rare.ts')).outputEnding(run, output)
}

/** Steers go in before a model request, all of them, in order. Their message is the receipt that the request has them. */
function takeSteers(run: RunScope): void {
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
  readonly prepared: Prepared
}

interface PreparedInput {
  readonly input: Input
  readonly prepared: Prepared
}

/** Prepares for the queue's head, which may become another one meanwhile. */
async function prepareNext(run: RunScope, ending: Ending): Promise<PreparedInput | undefined> {
  let input = nextInput(run, ending)
  while (input !== undefined) {
    const { id, by } = input
    const prepared = await prepareRun(run.home, run.state.id, by)
    input = nextInput(run, ending)
    if (input?.id === id) return { input, prepared }
  }
  return undefined
}

/** Writes the end, and in the same append the start of the run that takes the queue's head. */
function finish(run: RunScope, ending: Ending, next: PreparedInput | undefined): NextRun | undefined {
  const { home, state } = run
  const end: EventDraft = {
    type: 'finish',
    runId: run.id,
    ...(run.isStopping ? { reason: 'aborted' } : ending),
    usage: { run: state.usage.run, total: state.usage.total },
    ...run.models,
  }
  if (next === undefined) {
    run.sequence([end], { row: NO_OPEN_RUN })
    return undefined
  }
  const { input, prepared } = next
  const { id: inputId } = input
  const id = runIdOf(inputId)
  const receipt: Receipt = { commandId: inputId, status: 'started', inputId, runId: id, messageId: inputId }
  run.sequence([end, ...startWith(input, 'queue', runConfig(home, prepared, state), run.clock.now())], {
    row: { openRun: id, parked: false },
    receipts: [receipt],
  })
  return { id, prepared }
}

/** The queue goes on after `stop`; after an abort only with what was sent since. Any other ending leaves it to a person. */
function nextInput(run: RunScope, ending: Ending): Input | undefined {
  return ending.reason === 'stop' || run.isStopping ? run.state.pending.lanes.queue[0] : undefined
}
