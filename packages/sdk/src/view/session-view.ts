import type { Ids } from '../protocol/clock.ts'
import type { Receipt } from '../protocol/commands.ts'
import { errorInfo } from '../protocol/errors.ts'
import { type AgentEvent, type EventBatch, isDelta } from '../protocol/events.ts'
import type { Connection } from '../protocol/remote-session.ts'
import type {
  AgentSession,
  Answer,
  CommandOptions,
  InputContent,
  Run,
  RunOptions,
  SendOptions,
} from '../protocol/session.ts'
import type { SessionState } from '../protocol/state.ts'
import { systemIds } from '../protocol/system-ids.ts'
import { flattenText } from './flat-text.ts'
import type { Schedule } from './frames.ts'
import { historyWindow } from './history-window.ts'
import { addListener, endAll, type Listeners, tell } from './listeners.ts'
import { openRequests } from './open-requests.ts'
import { createOutbox, type OutboxEntry } from './outbox.ts'
import { type SessionSnapshot, type Sources, snapshotOf } from './snapshot.ts'
import { systemNow, systemSchedule } from './system.ts'
import type { ViewedSession } from './viewed-session.ts'

export interface SessionViewOptions {
  /**
   * When text, arguments, output and usage are published. Default: with the next frame, after 100 ms in a hidden tab, and
   * at once where there are no frames. Everything else is published at once, with all that came before it.
   */
  readonly schedule?: Schedule
  /** Messages shown at first, and added by every `loadBefore()`. Default 200. */
  readonly window?: number
  /** Mints the ids of inputs: unguessable, and never the same twice. */
  readonly ids?: Ids
  /** Epoch ms: when an input was sent. */
  readonly now?: () => number
}

/**
 * A session as something a UI can subscribe to. All functions are bound, and none of them throws or rejects because of
 * the session: what went wrong is in what is published, and in the receipt (`refused`, with its `error`).
 */
export interface SessionView {
  readonly session: AgentSession
  /** What is known now: ahead of what is published by at most a frame. */
  readonly live: SessionState
  /** What is published. The same object until the next publication. */
  getSnapshot(): SessionSnapshot
  /** What was known when the view was made: for rendering on a server and hydrating from it. */
  getServerSnapshot(): SessionSnapshot
  /** Called after every publication. Returns the removal. `onEnd` is called when `destroy()` removes it. */
  subscribe(listener: () => void, onEnd?: () => void): () => void
  /** Sends an input: into the open run (`steer`, the default), behind it (`queue`), or as a run where none is open. */
  send(input: InputContent, options?: Omit<SendOptions, 'commandId'>): Promise<Receipt>
  steer(input: InputContent): Promise<Receipt>
  queue(input: InputContent): Promise<Receipt>
  /** Starts a run, or fails with `session.busy`. */
  run(input: InputContent, options?: Omit<RunOptions, 'commandId'>): Run
  /** Sends a failed entry of the outbox once more. It cannot arrive twice. */
  retry(id: string): Promise<Receipt>
  /** Takes a failed entry out of the outbox. Its `input` is the composer's again. */
  discard(id: string): OutboxEntry | undefined
  /** Stops the run that is open now. The receipt has the inputs that are handed back. */
  stop(): Promise<Receipt>
  /** Answers a request. */
  resolve(requestId: string, answer: Answer, options?: CommandOptions): Promise<Receipt>
  /** Shows older messages. Resolves when they are shown, or could not be loaded. */
  loadBefore(): Promise<void>
  /** Removes every listener and stops following the session, which goes on. A later subscription begins anew. */
  destroy(): void
}

const WINDOW = 200
const LIVE: Connection = { status: 'live' }

/** Makes a view. It does nothing until somebody subscribes or sends. */
export function createSessionView(session: ViewedSession, options: SessionViewOptions = {}): SessionView {
  const { schedule = systemSchedule(), window = WINDOW, ids = systemIds, now = systemNow } = options
  const listeners: Listeners = new Map()
  const { isWaiting, settle, ...sending } = createOutbox(session, ids, now, publish, follow)
  const older = historyWindow(session, window, publish)
  const requests = openRequests(session)
  /** The run that was asked to stop here. */
  let stopping: string | undefined
  let ownConnection = LIVE
  let isReadyAwaited = false
  let unfollow: (() => void) | undefined
  let isScheduled = false
  let cancel = (): void => {}
  /** What the snapshot is of: to compare with it is quicker than with a snapshot, which has a shape of its own. */
  let sources = look()
  let snapshot = snapshotOf(sources)
  const first = snapshot

  /** What is known now. What did not change is the same object. */
  function look(): Sources {
    const { state, connection = ownConnection } = session
    const { run, history } = state
    return {
      state,
      status: run && run.id === stopping ? 'stopping' : state.status,
      ...older.look(history),
      requests: requests.look(),
      outbox: settle(state),
      connection,
    }
  }

  function publish(): void {
    unschedule()
    const next = look()
    if ((Object.keys(next) as (keyof Sources)[]).every((key) => next[key] === sources[key])) return
    sources = next
    flattenText(next.state.pending.message)
    snapshot = snapshotOf(next, snapshot)
    tell(listeners)
    release()
  }

  function publishSoon(): void {
    if (isScheduled) return
    isScheduled = true
    cancel = schedule(publish)
  }

  function unschedule(): void {
    if (isScheduled) cancel()
    isScheduled = false
  }

  function onFailure(thrown: unknown): void {
    ownConnection = { status: 'failed', error: errorInfo(thrown) }
    publish()
  }

  function onBatch(_state: SessionState, { events, fault }: EventBatch): void {
    settle(session.state, events)
    if (fault === undefined && events.length > 0 && events.every(canWait)) publishSoon()
    else publish()
  }

  /** Only while somebody listens or something is being sent. */
  function follow(): void {
    if (unfollow !== undefined) return
    publish()
    if (!isReadyAwaited) session.ready.then(publish, onFailure)
    isReadyAwaited = true
    const unsubscribe = session.subscribe(onBatch)
    const disconnect = session.subscribeConnection?.(publish)
    unfollow = () => {
      unsubscribe()
      disconnect?.()
    }
  }

  function release(): void {
    if (listeners.size === 0 && !isWaiting()) stop()
  }

  function stop(): void {
    unschedule()
    unfollow?.()
    unfollow = undefined
  }

  /** What is published. Nobody publishes while nobody listens: then it is what is known. */
  function getSnapshot(): SessionSnapshot {
    if (unfollow === undefined) publish()
    return snapshot
  }

  /** Shows what was done, and takes that back where it was refused. Never rejects. */
  async function shown(asked: Promise<Receipt>, onRefused: (error: Receipt['error']) => void): Promise<Receipt> {
    publish()
    const receipt = await asked.catch((thrown: unknown): Receipt => {
      return { commandId: '', status: 'refused', error: errorInfo(thrown) }
    })
    if (receipt.status === 'refused') {
      onRefused(receipt.error)
      publish()
    }
    return receipt
  }

  return {
    session,
    get live() {
      return session.state
    },
    getSnapshot,
    getServerSnapshot: () => first,
    subscribe(listener, onEnd) {
      follow()
      const remove = addListener(listeners, listener, onEnd)
      return () => {
        remove()
        release()
      }
    },
    ...sending,
    steer: (input) => sending.send(input, { mode: 'steer' }),
    queue: (input) => sending.send(input, { mode: 'queue' }),
    stop() {
      const runId = session.state.run?.id
      stopping = runId
      return shown(session.abort(runId), () => {
        if (stopping === runId) stopping = undefined
      })
    },
    resolve(requestId, answer, command) {
      requests.answered(requestId, { status: 'answering' })
      return shown(session.resolve(requestId, answer, command), (error) =>
        requests.answered(requestId, { status: 'open', error }),
      )
    },
    loadBefore: older.loadBefore,
    destroy() {
      endAll(listeners)
      stop()
    },
  }
}

/** What comes many times a second: it is published by frames, and never overtakes anything. */
function canWait(event: AgentEvent): boolean {
  if (isDelta(event)) return true
  if (event.type === 'task') return event.live === true
  return event.type === 'usage' || event.type === 'tool-output'
}
