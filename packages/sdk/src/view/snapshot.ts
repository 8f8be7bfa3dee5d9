import type { ErrorInfo } from '../protocol/errors.ts'
import type { Activity } from '../protocol/events.ts'
import type { Connection } from '../protocol/remote-session.ts'
import type { OpenRun, SessionState, SessionStatus } from '../protocol/state.ts'
import type { Task } from '../protocol/tasks.ts'
import type { Older } from './history-window.ts'
import { itemOf, type MessageItem } from './message-item.ts'
import type { RequestItem } from './open-requests.ts'
import type { OutboxEntry } from './outbox.ts'

/** What a snapshot is made of. The rest of it follows from this. */
export type Sources = Pick<
  SessionSnapshot,
  'state' | 'status' | 'history' | 'older' | 'requests' | 'outbox' | 'connection'
>

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
  /** Those of the session's history that are shown: the same array while a reply streams. */
  readonly history: readonly MessageItem[]
  readonly older: Older
  /** `stopping` from the call of `stop()` on. */
  readonly status: SessionStatus
  readonly run: OpenRun | undefined
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
  readonly activity: Activity | undefined
  readonly lastFinish: SessionState['lastFinish'] | undefined
  /** The session's store failed: what follows is not shown until another owner takes over. */
  readonly fault: ErrorInfo | undefined
  /** The whole state, for what is not above. */
  readonly state: SessionState
}

/** What the sources come to. What follows from unchanged ones keeps its reference, and costs nothing. */
export function snapshotOf(sources: Sources, prev?: SessionSnapshot): SessionSnapshot {
  const { state, status, history, older, requests, outbox, connection } = sources
  const { id, run, pending, usage, deliverables, notices, row, lastFinish, live } = state
  const reply = pending.message
  const list = () => [...history, ...(reply ? [itemOf(reply, 'streaming')] : []), ...outbox]
  const sameList = prev?.history === history && prev.pending.message?.id === reply?.id && prev.outbox === outbox
  const sameTasks = prev?.state.tasks === state.tasks && prev.state.live.tasks === live.tasks
  let messages: readonly MessageItem[] | undefined
  return {
    id,
    get messages() {
      messages ??= list()
      return messages
    },
    messageIds: sameList
      ? prev.messageIds
      : shared(
          prev?.messageIds,
          list().map((message) => message.id),
        ),
    status,
    run,
    canStop: run !== undefined && status !== 'stopping',
    history,
    older,
    pending,
    queue: pending.lanes,
    requests,
    outbox,
    usage,
    connection,
    tasks: sameTasks ? prev.tasks : shared(prev?.tasks, Object.values({ ...state.tasks, ...live.tasks })),
    deliverables,
    notices,
    row,
    activity: live.activity,
    lastFinish,
    fault: live.fault,
    state,
  }
}

/** The array before, if the new one holds the same. */
function shared<T>(prev: readonly T[] | undefined, next: readonly T[]): readonly T[] {
  return prev?.length === next.length && next.every((item, i) => item === prev[i]) ? prev : next
}
