import { canonicalJson } from '../protocol/json.ts'
import type { Message } from '../protocol/messages.ts'

/**
 * Whether the last `repeats` turns of a run asked for the same calls and got the same results, so that another turn will
 * bring nothing new.
 *
 * The order of keys and of the calls of one turn plays no part, and neither does what the model said beside them. A
 * result that differs in any way is progress: a job that is polled has to change its answer now and then. So is anything
 * that was said in between, for instance a steer. `repeats` is at least 2; `Infinity` never stalls.
 */
export function isStalled(history: readonly Message[], runId: string, repeats: number): boolean {
  let first: string | undefined
  for (let back = 1; back <= repeats; back++) {
    const calls = turnCalls(history.at(-back), runId)
    first ??= calls
    if (calls === undefined || calls !== first) return false
  }
  return true
}

/** The calls of a turn with their results, as text; undefined for what is no turn of the run, or one without calls. */
function turnCalls(message: Message | undefined, runId: string): string | undefined {
  if (message?.role !== 'assistant' || message.runId !== runId) return undefined
  const calls: string[] = []
  for (const part of message.parts) {
    if (part.type !== 'tool-call' || part.executed || part.result === undefined) continue
    const { outcome, output, images, changes, full } = part.result
    calls.push(canonicalJson([part.toolName, part.input ?? part.inputText, outcome, output, images, changes, full]))
  }
  return calls.length === 0 ? undefined : calls.sort().join('\n')
}
