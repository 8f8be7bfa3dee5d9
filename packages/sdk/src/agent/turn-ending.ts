import type { StopReason } from '../protocol/events.ts'
import type { Message } from '../protocol/messages.ts'
import { openCalls } from './call-result.ts'
import { rare } from './late.ts'
import type { Ending, RunScope } from './run-scope.ts'

/** No run stalls before it has taken that many turns, or where it asks for something else than the turn before. */
export async function hasStalled({
  id,
  turns,
  runtime: { maxRepeats },
  state: { history },
}: RunScope): Promise<boolean> {
  if (turns < maxRepeats) return false
  const [before, last] = history.slice(-2).map(askedLength)
  return before === last && (await rare()).isStalled(history, id, maxRepeats)
}

/** The same for the same calls, in whatever order they and their keys are. */
function askedLength(message: Message): number {
  const asked = message.role === 'assistant' ? openCalls(message) : []
  return JSON.stringify(asked.map(({ toolName, input, inputText }) => [toolName, input ?? inputText])).length
}

/** The calls decide whether a run goes on, not the provider's word for why it stopped. */
export function endingAfter(stop: StopReason, hasCalls: boolean, before?: StopReason): Ending | undefined {
  if (stop === 'content-filter') return { reason: 'content-filter' }
  if (stop === 'length') return hasCalls && before !== 'length' ? undefined : { reason: 'length' }
  return hasCalls || stop === 'pause' ? undefined : { reason: 'stop' }
}
