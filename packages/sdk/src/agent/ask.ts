import { SessionError, ToolError } from '../protocol/errors.ts'
import type { Question, Request } from '../protocol/requests.ts'
import type { ToolContext } from '../tools/tool.ts'
import { deadline, questionsProblem } from './approvals.ts'
import { ownJson } from './own-json.ts'
import type { RunScope } from './run-scope.ts'

type Answered = Awaited<ReturnType<ToolContext['ask']>>

/** Asks from inside a running call, which goes on when it is answered. The answer of an earlier life is given at once. */
export async function askPerson(
  run: RunScope,
  call: { readonly callId: string; readonly toolName: string },
  asked: readonly Question[],
  nth: number,
): Promise<Answered> {
  const questions = ownJson(asked) as unknown as readonly Question[]
  const problem = questionsProblem(questions)
  if (problem !== undefined) throw new ToolError('tool.failed', `ctx.ask: ${problem}.`)
  if (run.isUnattended) return { answers: {}, skipped: true }
  const { callId } = call
  const id = `req_${callId}_${nth}`
  for (;;) {
    const pending = run.state.pending.calls[callId]
    const answer = pending?.resolved?.[id]
    if (answer !== undefined) {
      const { answers = {}, skipped = false } = answer.resolution
      return { answers: structuredClone(answers), skipped }
    }
    // A tool that was abandoned may go on, but asks nobody.
    if (pending === undefined || run.isStopping) throw new SessionError('session.aborted', 'The call is over.')
    if (!run.state.pending.requests.some((open) => open.id === id)) {
      const request: Request = { id, kind: 'question', callId, path: [run.state.id], questions, ...deadline(run) }
      run.sequence([{ type: 'request', runId: run.id, request }])
    }
    await run.changed()
  }
}
