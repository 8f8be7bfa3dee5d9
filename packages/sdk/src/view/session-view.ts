import type { Ids } from '../protocol/clock.ts'
import type { Receipt } from '../protocol/commands.ts'
import { errorInfo } from '../protocol/errors.ts'
import { type AgentEvent, type EventBatch, isDelta } from '../protocol/events.ts'
import type { AssistantPart, UserPart } from '../protocol/messages.ts'
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
import type { Task } from '../protocol/tasks.ts'
import { Actions } from './actions.ts'
import type { Schedule } from './frames.ts'
import { HistoryWindow } from './history-window.ts'
import type { CallItem, MessageOutline } from './messages.ts'
import type { OutboxEntry } from './outbox.ts'
import { Publisher } from './publisher.ts'
import { type RequestItem, taskOf } from './shown.ts'
import type { SessionSnapshot } from './snapshot.ts'
import { systemIds, systemNow, systemSchedule } from './system.ts'
import type { ViewCell } from './view-cells.ts'
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
  /** Called after every publication. Returns the removal. */
  subscribe(listener: () => void): () => void
  /** Called after publications in which the value of the cell is another one. Returns the removal. */
  subscribeCell(cell: ViewCell, listener: () => void): () => void
  /** Cell `message:<id>`. */
  getMessage(id: string): MessageOutline | undefined
  /** Cell `part:<id>/<i>`. */
  getPart(id: string, i: number): UserPart | AssistantPart | undefined
  /** Cell `call:<callId>`. */
  getCall(callId: string): CallItem | undefined
  /** Cell `request:<id>`. */
  getRequest(id: string): RequestItem | undefined
  /** Cell `task:<id>`. */
  getTask(id: string): Task | undefined
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
  const onChange = (): void => publisher.changed()
  const actions = new Actions({ session, ids, now, onChange })
  const { outbox } = actions
  const older = new HistoryWindow(session, window, onChange)
  let ownConnection = LIVE
  let isReadyAwaited = false

  function onFailure(thrown: unknown): void {
    ownConnection = { status: 'failed', error: errorInfo(thrown) }
    onChange()
  }

  function onBatch(_state: SessionState, { events, fault }: EventBatch): void {
    outbox.settle(session.state, events)
    const isUrgent = fault !== undefined || events.length === 0 || !events.every(canWait)
    if (isUrgent) publisher.publish()
    else publisher.publishSoon()
  }

  const publisher = new Publisher({
    schedule,
    isWaiting: () => outbox.isWaiting,
    look(prev) {
      const { state, connection = ownConnection } = session
      outbox.settle(state)
      actions.settle(state)
      const { answers, stopping } = actions
      return { state, outbox: outbox.entries, connection, answers, stopping, ...older.look(state.history, prev) }
    },
    follow() {
      if (!isReadyAwaited) session.ready.then(onChange, onFailure)
      isReadyAwaited = true
      const unsubscribe = session.subscribe(onBatch)
      const disconnect = session.subscribeConnection?.(onChange)
      return () => {
        unsubscribe()
        disconnect?.()
      }
    },
  })

  return {
    session,
    get live() {
      return session.state
    },
    getSnapshot: () => publisher.snapshot,
    getServerSnapshot: () => publisher.first,
    subscribe: (listener) => publisher.subscribe(listener),
    subscribeCell: (cell, listener) => publisher.subscribe(listener, cell),
    getMessage: (id) => publisher.messages.outline(publisher.shown, id),
    getPart: (id, i) => publisher.messages.part(publisher.shown, id, i),
    getCall: (callId) => publisher.messages.call(publisher.shown, callId),
    getRequest: (id) => publisher.shown.requests.find(({ request }) => request.id === id),
    getTask: (id) => taskOf(publisher.shown.state, id),
    send: (input, sent) => actions.send(input, sent),
    steer: (input) => actions.send(input, { mode: 'steer' }),
    queue: (input) => actions.send(input, { mode: 'queue' }),
    run: (input, run) => actions.run(input, run),
    retry: (id) => actions.retry(id),
    discard: (id) => outbox.discard(id),
    stop: () => actions.stop(),
    resolve: (requestId, answer, command) => actions.resolve(requestId, answer, command),
    loadBefore: () => older.loadBefore(),
    destroy: () => publisher.destroy(),
  }
}

/** What comes many times a second: it is published by frames, and never overtakes anything. */
function canWait(event: AgentEvent): boolean {
  if (isDelta(event)) return true
  if (event.type === 'task') return event.live === true
  return event.type === 'usage' || event.type === 'tool-output'
}
