import { runIdOf } from '../protocol/commands.ts'
import { errorInfo } from '../protocol/errors.ts'
import type { AgentEvent } from '../protocol/events.ts'
import type { Connection } from '../protocol/remote-session.ts'
import type { AgentSession, Run, RunResult } from '../protocol/session.ts'
import { initialState, type SessionState } from '../protocol/state.ts'
import { NO_USAGE } from '../protocol/usage.ts'
import type { ViewedSession } from './viewed-session.ts'

/** A session as it was: what a server renders from, and a page begins with. Plain JSON. */
export interface SessionPreload {
  readonly state: Omit<SessionState, 'live'>
  /** Whether there are messages before the first of its history. */
  readonly hasBefore: boolean
}

export interface DeferredSessionOptions {
  /** Absent for a session that is still to be made: it has the id '' until it is opened. */
  readonly id?: string
  /** Called once; after a failure again, with the next command. */
  open(): ViewedSession | Promise<ViewedSession>
  /** Shown until the session is there. */
  readonly preload?: SessionPreload
  /** Mints the ids of commands that come without one. */
  readonly mint: (prefix: string) => string
}

const MESSAGES = 200

/** What to send along with a page: the last `messages` (default 200) of a session, and everything else of its state. */
export function preloadSession(session: ViewedSession, { messages = MESSAGES } = {}): SessionPreload {
  const { live: _live, ...state } = session.state
  const { length } = state.history
  const history = state.history.slice(Math.max(0, length - messages))
  return { state: { ...state, history }, hasBefore: history.length < length || session.hasBefore === true }
}

/**
 * A session that is opened when it is first needed: when somebody subscribes, or with the first command. One without an
 * id is made by its first command alone.
 */
export function deferredSession(options: DeferredSessionOptions): ViewedSession {
  const { id, preload, mint } = options
  const first: SessionState = preload
    ? { ...preload.state, live: { calls: {}, tasks: {} } }
    : initialState(options.id ?? '')
  const offered = Promise.withResolvers<AgentSession>()
  return {} as ViewedSession
}
