import type { Receipt } from './commands.ts'
import { errorInfo } from './errors.ts'
import type { EventReader, Run, RunResult } from './session.ts'
import { NO_USAGE, type UsageTotals } from './usage.ts'

/**
 * A run that is still to be had: its session is being opened, or its handle loaded. What stops that ends it, as far as
 * anybody here can tell. `total`: the session's usage then. `receipt`: the answer to what was to start it.
 */
export function lateRun(id: string, loading: Promise<Run>, total: () => UsageTotals, receipt?: Promise<Receipt>): Run {
  let run: Run | undefined
  const failed = async (thrown: unknown): Promise<RunResult> => ({
    runId: id,
    reason: 'error',
    text: '',
    usage: { run: NO_USAGE, total: total() },
    error: (await receipt?.then(({ error }) => error, errorInfo)) ?? errorInfo(thrown),
    recorded: false,
  })
  return {
    get id() {
      return run?.id ?? id
    },
    result: loading.then((loaded) => {
      run = loaded
      return loaded.result
    }, failed),
    text: () => loading.then((loaded) => loaded.text()),
    [Symbol.asyncIterator]: () => lateEvents(loading.then((loaded) => loaded[Symbol.asyncIterator]())),
  }
}

/** A reader of events that is still to be had. */
export function lateEvents(loading: Promise<EventReader>): EventReader {
  // Whoever reads is told.
  loading.catch(() => {})
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    next: () => loading.then((events) => events.next()),
    return: () => loading.then((events) => events.return()),
  }
}
