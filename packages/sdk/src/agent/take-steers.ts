import type { Receipt } from '../protocol/commands.ts'
import type { EventDraft } from '../protocol/events.ts'
import type { RunScope } from './run-scope.ts'

/** Steers go in before a model request, all of them, in order. Their message is the receipt that the request has them. */
export function takeSteers(run: RunScope): void {
  const { steer } = run.state.pending.lanes
  if (run.isStopping) return
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
