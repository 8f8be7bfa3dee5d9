import { runIdOf } from '../protocol/commands.ts'
import { SessionError } from '../protocol/errors.ts'
import type { AgentEvent, EventBatch } from '../protocol/events.ts'
import type { Feed } from './feed.ts'

/** A handle of a run that it did not see begin. */
export interface SoughtRun {
  readonly id: string
  /** Whether an event is the run's first. */
  isStart(event: AgentEvent): boolean
  /** Hears every event of the run, in order. */
  take(event: AgentEvent): void
}

/**
 * Tells a handle what the store has of its run. Rejects with `session.unknown-run` when there is no such run, neither in
 * the store, nor waiting, nor in what was shown meanwhile.
 */
export async function lookUpRun(
  run: SoughtRun,
  feed: Feed,
  meanwhile: readonly Pick<EventBatch, 'events'>[],
): Promise<void> {
  const found = await findStart(run, feed)
  const { id, pending, run: open } = feed.state
  if (found !== undefined) {
    for await (const batch of feed.store.read(id, { after: found - 1 })) {
      for (const event of batch) if (event.runId === run.id) run.take(event)
    }
    return
  }
  const isWaiting = open?.id === run.id || pending.lanes.queue.some((input) => runIdOf(input.id) === run.id)
  const wasShown = (event: AgentEvent): boolean =>
    run.isStart(event) || (event.type === 'input-returned' && runIdOf(event.inputId) === run.id)
  if (isWaiting || meanwhile.some(({ events }) => events.some(wasShown))) return
  throw new SessionError('session.unknown-run', `The session has no run ${run.id}.`)
}

/** The seq of the input that started the run, or else of its `run-start`. */
async function findStart(run: SoughtRun, { state, store }: Feed): Promise<number | undefined> {
  let found: number | undefined
  for await (const batch of store.read(state.id, { direction: 'backward' })) {
    for (const event of batch) {
      if (run.isStart(event)) found = event.seq
      else if (found !== undefined) return found
    }
  }
  return found
}
