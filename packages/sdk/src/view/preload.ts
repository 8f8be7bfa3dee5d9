import type { SessionState } from '../protocol/state.ts'
import type { ViewedSession } from './viewed-session.ts'

/** A session as it was: what a server renders from and a page begins with. Plain JSON. */
export interface SessionPreload {
  readonly state: SessionState
  /** Whether there are messages before the first of its history. */
  readonly hasBefore: boolean
}

const MESSAGES = 200

/** The last `messages` (default 200) of a session, and everything else of its state. */
export function preloadSession(session: ViewedSession, { messages = MESSAGES } = {}): SessionPreload {
  const { state } = session
  const { length } = state.history
  const history = state.history.slice(Math.max(0, length - messages))
  return { state: { ...state, history }, hasBefore: history.length < length || session.hasBefore === true }
}
