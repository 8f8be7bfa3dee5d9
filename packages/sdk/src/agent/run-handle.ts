import { type Receipt, runIdOf } from '../protocol/commands.ts'
import { errorInfo, SessionError } from '../protocol/errors.ts'
import { type AgentEvent, type EventBatch, isDelta } from '../protocol/events.ts'
import { RunOutcome, textOf } from '../protocol/run-outcome.ts'
import type { Run, RunResult } from '../protocol/session.ts'
import { deferred } from './deferred.ts'
import type { Hub } from './hub.ts'
import { readEvents } from './reader.ts'

export interface Starting {
  readonly signal: AbortSignal | undefined
  /** Gives the receipt of what starts the run. */
  start(): Promise<Receipt>
  /** Stops the run when the signal says so. */
  stop(runId: string): void
}

type Shown = Pick<EventBatch, 'events' | 'fault'>

/** A run that is about to be asked for. */
export function startRun(hub: Hub, runId: string, { signal, start, stop }: Starting): Run {
  const { run, answer, refuse } = runHandle(hub, runId)
  const stopRun = (): void => stop(run.id)
  void run.result.then(() => signal?.removeEventListener('abort', stopRun))
  if (signal?.aborted) {
    refuse(new SessionError('session.aborted', 'The signal was aborted before the run began.'))
  } else {
    signal?.addEventListener('abort', stopRun)
    start().then(answer, refuse)
  }
  return run
}

/** Any run of the session, past, open or still queued. */
export function followRun(hub: Hub, runId: string): Run {
  const { run, lookUp } = runHandle(hub, runId, true)
  void lookUp()
  return run
}

function runHandle(hub: Hub, runId: string, isAwaited = false) {
  const { feed } = hub
  const outcome = new RunOutcome()
  const result = deferred<RunResult>()
  /** Settles when the run's first event is known, or when there will be none. */
  const begun = deferred()
  const over = new AbortController()
  let id = runId
  /** The seq of the run's first event. */
  let startSeq: number | undefined
  let seenSeq = 0
  /** What was shown while the store is searched. */
  let meanwhile: Shown[] | undefined

  const closed = (): void =>
    refuse(new SessionError('session.closed', 'The session was closed here; the run is left to its next owner.'))
  const unsubscribe = feed.subscribe((_state, batch) => see(batch), closed, isAwaited)
  void result.promise.then(unsubscribe)

  const run: Run = {
    get id() {
      return id
    },
    result: result.promise,
    text: () => textOf(result.promise),
    [Symbol.asyncIterator]() {
      const ready = hub.ready.then(() => begun.promise)
      ready.catch(() => {})
      return readEvents({
        feed,
        ready,
        after: () => (startSeq ?? 1) - 1,
        pick: (event) => (event.runId !== id ? 'no' : event.type === 'finish' ? 'last' : 'yes'),
        signal: over.signal,
      })
    },
  }

  /** The session's answer to what was to start this run. */
  function answer({ commandId, status, error, runId }: Receipt): void {
    if (status === 'refused') {
      return refuse(error ?? { code: 'internal', message: 'It was refused without a reason.', retryable: false })
    }
    if (status === 'accepted') {
      // A refusal is no event: it is seen in the receipt alone.
      return void hub.receiptOf(commandId).then((receipt) => receipt && answer(receipt), refuse)
    }
    // `continue()` took an input that was waiting: its run has the input's name.
    id = runId ?? id
    // The same command again: the run began before this handle looked.
    if (startSeq === undefined) void lookUp()
  }

  /** Finds a run that this handle did not see begin. */
  async function lookUp(): Promise<void> {
    const held: Shown[] = []
    meanwhile = held
    try {
      await hub.ready
      const { lookUpRun } = await import('./rare.ts')
      await lookUpRun({ id, isStart, take }, feed, held)
    } catch (thrown) {
      refuse(thrown)
    }
    meanwhile = undefined
    for (const shown of held) see(shown)
  }

  /** A run begins with the input it was started by, or else with its `run-start`. */
  function isStart(event: AgentEvent): boolean {
    return event.runId === id && (event.type === 'run-start' || (event.type === 'input' && event.lane === 'start'))
  }

  function see(shown: Shown): void {
    if (meanwhile !== undefined) return void meanwhile.push(shown)
    for (const event of shown.events) {
      if (isDelta(event)) continue
      if (event.type === 'input-returned' && runIdOf(event.inputId) === id) {
        refuse(new SessionError('session.aborted', 'The input was handed back before its run could start.'))
      } else if (event.runId === id && event.seq > seenSeq) {
        take(event)
      }
    }
    if (shown.fault !== undefined && startSeq !== undefined) refuse(shown.fault)
  }

  /** Nothing more will come of it. */
  function refuse(why: unknown): void {
    const error = why instanceof Error ? errorInfo(why) : (why as RunResult['error'])
    const { run, total } = feed.state.usage
    result.resolve(outcome.refused(id, error, startSeq === undefined ? { total } : { run, total }))
    begun.resolve()
    over.abort()
  }

  /** Hears of every event of the run, in order. */
  function take(event: AgentEvent): void {
    if (startSeq === undefined) {
      if (!isStart(event)) return
      startSeq = event.seq
      begun.resolve()
    }
    seenSeq = event.seq
    const ended = outcome.take(event)
    if (ended !== undefined) result.resolve(ended)
  }

  return { run, answer, refuse, lookUp }
}
