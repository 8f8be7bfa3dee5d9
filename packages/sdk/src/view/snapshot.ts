import type { ErrorInfo } from '../protocol/errors.ts'
import type { Activity } from '../protocol/events.ts'
import type { Connection } from '../protocol/remote-session.ts'
import type { OpenRun, SessionState, SessionStatus } from '../protocol/state.ts'
import type { Task } from '../protocol/tasks.ts'
import type { MessageItem, Messages } from './messages.ts'
import type { OutboxEntry } from './outbox.ts'
import type { Older, RequestItem, Shown } from './shown.ts'

/**
 * All that a UI shows of a session, as it was at one moment. It never changes, and what is the same in the next one is
 * the same object there.
 */
export interface SessionSnapshot {
  readonly id: string
  /** History, the reply that is being streamed and the outbox, as one list. Made when it is first read. */
  readonly messages: readonly MessageItem[]
  /** Their ids, in order: a new array only when a message came, left or moved. */
  readonly messageIds: readonly string[]
  readonly older: Older
  /** `stopping` from the call of `stop()` on. */
  readonly status: SessionStatus
  readonly run?: OpenRun
  /** Whether a run is open that was not asked to stop yet. */
  readonly canStop: boolean
  /** The reply that is being streamed, calls without a result, and the queue and requests below. */
  readonly pending: SessionState['pending']
  readonly queue: SessionState['pending']['lanes']
  readonly requests: readonly RequestItem[]
  readonly outbox: readonly OutboxEntry[]
  readonly usage: SessionState['usage']
  readonly connection: Connection
  readonly tasks: readonly Task[]
  readonly deliverables: SessionState['deliverables']
  readonly notices: SessionState['notices']
  readonly row: SessionState['row']
  readonly activity?: Activity
  readonly lastFinish?: NonNullable<SessionState['lastFinish']>
  /** The session's store failed: what follows is not shown until another owner takes over. */
  readonly fault?: ErrorInfo
  /** The whole state, for what is not above. */
  readonly state: SessionState
}

export function snapshotOf(shown: Shown, made: Messages): SessionSnapshot {
  const { state, messageIds, older, status, requests, outbox, connection, tasks } = shown
  const { id, run, pending, usage, deliverables, notices, row, lastFinish, live } = state
  let messages: readonly MessageItem[] | undefined
  return {
    id,
    get messages() {
      messages ??= made.list(shown)
      return messages
    },
    messageIds,
    older,
    status,
    ...(run && { run }),
    canStop: run !== undefined && status !== 'stopping',
    pending,
    queue: pending.lanes,
    requests,
    outbox,
    usage,
    connection,
    tasks,
    deliverables,
    notices,
    row,
    ...(live.activity && { activity: live.activity }),
    ...(lastFinish && { lastFinish }),
    ...(live.fault && { fault: live.fault }),
    state,
  }
}
