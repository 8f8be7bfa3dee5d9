import { SessionError } from './errors.ts'
import { nameProblem } from './name-problem.ts'

/** Throws `session.invalid-id` for what `nameProblem` objects to. Everything else is allowed: ids are data, never paths or SQL. */
export function checkSessionId(id: string): void {
  const problem = nameProblem(id)
  if (problem) throw new SessionError('session.invalid-id', `This session id cannot be used: ${problem}.`)
}
