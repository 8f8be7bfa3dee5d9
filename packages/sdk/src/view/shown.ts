import type { ErrorInfo } from '../protocol/errors.ts'
import type { Message } from '../protocol/messages.ts'
import type { Connection } from '../protocol/remote-session.ts'
import type { Request } from '../protocol/requests.ts'
import type { SessionState, SessionStatus } from '../protocol/state.ts'
import type { Task } from '../protocol/tasks.ts'
import type { OutboxEntry } from './outbox.ts'

/** An open request, and what became of the answer that was given here. */
export interface RequestItem {
  readonly request: Request
  /** `answering`: an answer is on its way. */
  readonly status: 'open' | 'answering'
  /** Why the last answer was not taken. */
  readonly error?: ErrorInfo
}

export type Answer = Omit<RequestItem, 'request'>

/** The messages before the first one shown. */
export interface Older {
  /** Whether there are any. */
  readonly more: boolean
  readonly isLoading: boolean
  /** Why they could not be loaded. */
  readonly error?: ErrorInfo
}

/** What a view shows is made of these. */
export interface Sources {
  readonly state: SessionState
  /** Index in the history of the first message shown. */
  readonly start: number
  readonly outbox: readonly OutboxEntry[]
  readonly connection: Connection
  readonly older: Older
  /** Given here, by request id. */
  readonly answers: Readonly<Record<string, Answer>>
  /** The run that was asked to stop here. */
  readonly stopping: string | undefined
}

/** Everything a view shows, as it was at one moment. */
export interface Shown extends Sources {
  /** Of every message shown, in order: history, the reply being streamed, the outbox. */
  readonly messageIds: readonly string[]
  readonly status: SessionStatus
  readonly requests: readonly RequestItem[]
  readonly tasks: readonly Task[]
}

/** What the sources come to. What follows from unchanged ones keeps its reference, and costs nothing. */
export function show(sources: Sources, prev?: Shown): Shown {
  const { state, start, outbox, stopping, answers } = sources
  const { history, pending, run } = state
  const sameList =
    prev?.state.history === history &&
    prev.start === start &&
    prev.state.pending.message?.id === pending.message?.id &&
    prev.outbox === outbox
  const sameRequests = prev?.state.pending.requests === pending.requests && prev.answers === answers
  const sameTasks = prev?.state.tasks === state.tasks && prev.state.live.tasks === state.live.tasks
  return {
    ...sources,
    messageIds: sameList ? prev.messageIds : shared(prev?.messageIds, listIds(sources)),
    status: run !== undefined && run.id === stopping ? 'stopping' : state.status,
    requests: sameRequests ? prev.requests : requestItems(pending.requests, answers, prev?.requests),
    tasks: sameTasks ? prev.tasks : shared(prev?.tasks, listTasks(state)),
  }
}

/** Where the window begins: where it began before, or `size` messages before the end. */
export function windowStart(history: readonly Message[], size: number, prev?: Sources): number {
  const anchor = prev?.state.history[prev.start]?.id
  if (anchor !== undefined) {
    if (history[prev?.start ?? 0]?.id === anchor) return prev?.start ?? 0
    const moved = history.findIndex(({ id }) => id === anchor)
    if (moved !== -1) return moved
  }
  return Math.max(0, history.length - size)
}

/** The newest of what is known of a task: its progress, or else what is stored. */
export function taskOf({ tasks, live }: SessionState, id: string): Task | undefined {
  return own(live.tasks, id) ?? own(tasks, id)
}

/** Ids come from outside: one may be the name of a property every object has. */
export function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}

function listIds({ state, start, outbox }: Sources): string[] {
  const ids: string[] = []
  for (let i = start; i < state.history.length; i++) ids.push((state.history[i] as Message).id)
  if (state.pending.message) ids.push(state.pending.message.id)
  for (const { id } of outbox) ids.push(id)
  return ids
}

function requestItems(
  requests: readonly Request[],
  answers: Readonly<Record<string, Answer>>,
  prev: readonly RequestItem[] = [],
): readonly RequestItem[] {
  const items = requests.map((request): RequestItem => {
    const answer = own(answers, request.id)
    const known = prev.find((item) => item.request === request)
    if (known && known.status === (answer?.status ?? 'open') && known.error === answer?.error) return known
    return { request, status: 'open', ...answer }
  })
  return shared(prev, items)
}

function listTasks(state: SessionState): Task[] {
  const ids = new Set([...Object.keys(state.tasks), ...Object.keys(state.live.tasks)])
  return [...ids].map((id) => taskOf(state, id) as Task)
}

/** The array before, if the new one holds the same. */
function shared<T>(prev: readonly T[] | undefined, next: readonly T[]): readonly T[] {
  return prev?.length === next.length && next.every((item, i) => item === prev[i]) ? prev : next
}
