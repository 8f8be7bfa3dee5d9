import { errorInfo } from '../protocol/errors.ts'
import type { Run, RunResult } from '../protocol/session.ts'
import { NO_USAGE } from '../protocol/usage.ts'

/** A run whose session is being opened. Where that fails it was refused. */
export function deferredRun(id: string, opening: Promise<Run>): Run {
  const refused = (thrown: unknown): RunResult => ({
    runId: id,
    reason: 'error',
    text: '',
    usage: { run: NO_USAGE, total: NO_USAGE },
    error: errorInfo(thrown),
    recorded: false,
  })
  let run: Run | undefined
  return {
    get id() {
      return run?.id ?? id
    },
    result: opening.then((begun) => {
      run = begun
      return begun.result
    }, refused),
    text: async () => (await opening).text(),
    async *[Symbol.asyncIterator]() {
      yield* await opening
    },
  }
}
