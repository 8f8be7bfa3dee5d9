import type { JsonObject } from '../../protocol/json.ts'
import type { Request, Resolution } from '../../protocol/requests.ts'
import type { SessionState } from '../../protocol/state.ts'
import type { UIPart, UIToolPart } from './ui-message.ts'

/** What a running tool asks a person. It has no call of its own, so it is shown as one of the tool that asks people. */
export const QUESTION_TOOL = 'ask_user'

type Pending = Pick<SessionState, 'pending'>

/** A question that is no call of the model: one that a tool asks while it runs. */
export function isAside({ kind, tool }: Request): boolean {
  return kind === 'question' && tool === undefined
}

/** The questions of running tools that are open, in a step of their own: `useChat` goes on when all its calls are done. */
export function questionParts({ pending }: Pending): UIPart[] {
  const parts = pending.requests.filter(isAside).map(questionPart)
  return parts.length > 0 ? [{ type: 'step-start' }, ...parts] : []
}

export function questionPart({ id, questions = [] }: Request): UIToolPart {
  const input = { questions } as unknown as JsonObject
  return { type: `tool-${QUESTION_TOOL}`, toolCallId: id, state: 'input-available', input }
}

/** How a question of a running tool was answered, as long as the tool runs. */
export function answerTo({ pending }: Pending, requestId: string): Resolution | undefined {
  for (const { resolved } of Object.values(pending.calls)) {
    const answer = resolved?.[requestId]
    if (answer !== undefined) return answer.resolution
  }
  return undefined
}
