import type { Receipt } from '../../protocol/commands.ts'
import { errorInfo } from '../../protocol/errors.ts'
import type { AgentEvent } from '../../protocol/events.ts'
import type { Run, RunResult } from '../../protocol/session.ts'
import { NO_USAGE } from '../../protocol/usage.ts'
import type { Feed } from './feed.ts'

/**
 * A run whose handle is still being loaded. What stops that ends it, as far as anybody here can tell. `receipt`: the
 * answer to what was to start it.
 */
export function lateRun(runId: string, loading: Promise<Run>, receipt: Promise<Receipt> | undefined, feed: Feed): Run {
  let handle: Run | undefined
  const failed = async (thrown: unknown): Promise<RunResult> => ({
    runId,
    reason: 'error',
    text: '',
    usage: { run: NO_USAGE, total: feed.state.usage.total },
    error: (await receipt?.then(({ error }) => error, errorInfo)) ?? errorInfo(thrown),
    recorded: false,
  })
  const loaded = loading.then((run) => {
    handle = run
    return run
  })
  return {
    get id() {
      return handle?.id ?? runId
    },
    result: loaded.then((run) => run.result, failed),
    text: async () => (await loaded).text(),
    [Symbol.asyncIterator]: () => lateReader(loaded.then((run) => run[Symbol.asyncIterator]())),
  }
}

/** A reader that is still being loaded. */
export function lateReader(loading: Promise<AsyncIterator<AgentEvent>>): AsyncIterableIterator<AgentEvent> {
  let reader: AsyncIterator<AgentEvent> | undefined
  const loaded = loading.then((own) => {
    reader = own
    return own
  })
  // Whoever reads is told.
  loaded.catch(() => {})
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    next: () => (reader ? reader.next() : loaded.then((own) => own.next())),
    async return() {
      await (await loaded).return?.()
      return { value: undefined, done: true }
    },
  }
}
