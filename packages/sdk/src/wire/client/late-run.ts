import type { Receipt } from '../../protocol/commands.ts'
import { errorInfo } from '../../protocol/errors.ts'
import type { Run, RunResult } from '../../protocol/session.ts'
import { NO_USAGE } from '../../protocol/usage.ts'
import type { Feed } from './feed.ts'
import type { Reader } from './reader.ts'
import type { RunHandle } from './run-handle.ts'

/**
 * A run whose handle is still being loaded. What stops that ends it, as far as anybody here can tell. `receipt`: the
 * answer to what was to start it.
 */
export function lateRun(
  runId: string,
  loading: Promise<RunHandle>,
  receipt: Promise<Receipt> | undefined,
  feed: Feed,
): Run {
  let handle: Run | undefined
  const failed = async (thrown: unknown): Promise<RunResult> => ({
    runId,
    reason: 'error',
    text: '',
    usage: { run: NO_USAGE, total: feed.state.usage.total },
    error: (await receipt?.then(({ error }) => error, errorInfo)) ?? errorInfo(thrown),
    recorded: false,
  })
  const result = loading.then((run) => {
    handle = run
    return run.result
  }, failed)
  return {
    get id() {
      return handle?.id ?? runId
    },
    result,
    text: () => loading.then((run) => run.text()),
    [Symbol.asyncIterator]: () => lateReader(loading.then((run) => run[Symbol.asyncIterator]())),
  }
}

/** A reader that is still being loaded. */
export function lateReader(loading: Promise<Reader>): Reader {
  // Whoever reads is told.
  loading.catch(() => {})
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    next: () => loading.then((reader) => reader.next()),
    return: () => loading.then((reader) => reader.return()),
  }
}
