import { SessionError, ToolError } from '../protocol/errors.ts'
import { normalise } from '../protocol/json.ts'
import type { Question, Request } from '../protocol/requests.ts'
import type { ToolContext } from '../tools/tool.ts'
import { deadline, questionsProblem } from './approvals.ts'
import type { RunScope } from './run-scope.ts'

type Answered = Awaited<ReturnType<ToolContext['ask']>>

/** Asks from inside a running call, which goes on when it is answered. The answer of an earlier life is given at once. */
export async function askPerson(
  run: RunScope,
  call: { readonly callId: string; readonly toolName: string },
  asked: readonly Question[],
  nth: number,
): Promise<Answered> {
  const questions = normalise(asked) as unknown as readonly Question[]
  const problem = questionsProblem(questions)
  if (problem !== undefined) throw new ToolError('tool.failed', `ctx.ask: ${problem}.`)
  if (run.isUnattended) return { answers: {}, skipped: true }
  const id = `req_${call.callId}_${nth}`
  const { callId } = call
  if (resolved(run, callId, id) === undefined && !run.state.pending.requests.some((open) => open.id === id)) {
    const request: Request = { id, kind: 'question', callId, path: [run.state.id], questions, ...deadline(run) }
    run.sequence([{ type: 'request', runId: run.id, request }])
  }
  for (;;) {
    const answer = resolved(run, callId, id)
    if (answer !== undefined) {
      const { answers = {}, skipped = false } = answer.resolution
      return { answers, skipped }
    }
    if (run.state.pending.calls[callId] === undefined) throw new SessionError('session.aborted', 'The call is over.')
    await run.changed()
  }
}

function resolved(run: RunScope, callId: string, id: string) {
  return run.state.pending.calls[callId]?.resolved?.[id]
}
