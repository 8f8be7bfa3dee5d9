import type { AssistantMessage } from '../protocol/messages.ts'
import type { Ending, RunScope } from './run-scope.ts'

/** Tells everyone that the turns are used up, once. */
export function announceGrace(run: RunScope): void {
  if (run.turns > run.maxTurns) return
  run.notice('turns.grace', `The run has used its ${run.maxTurns} turns; the model may only sum up.`)
  run.tellModel('You have used all turns of this run and can call no more tools. Answer now with what you have.')
}

/** A run that worked and says nothing is asked once more. One in which nothing happened at all has ended. */
export function afterBlank(run: RunScope, message: AssistantMessage | undefined): Ending | undefined {
  const { id, asked, state } = run
  if (asked.blank > 0) return { reason: 'blank' }
  const worked = message ?? state.history.find(({ role, runId }) => role === 'assistant' && runId === id)
  if (worked === undefined) return { reason: 'stop' }
  asked.blank++
  run.notice('reply.blank', 'The model replied without a word, and was asked once more.')
  run.tellModel('Your last reply was empty. Say in a few words what you did and what you found.')
  return undefined
}
