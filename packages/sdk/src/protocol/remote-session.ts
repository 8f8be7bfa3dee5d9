import type { ErrorInfo } from './errors.ts'
import type { AgentSession } from './session.ts'

/** How a reader is connected to where the session lives. */
export interface Connection {
  /**
   * `offline`: the device says that it has no network. `failed`: nothing is tried any more, `error` says why.
   * `closed`: the handle was closed.
   */
  readonly status: 'connecting' | 'live' | 'reconnecting' | 'offline' | 'failed' | 'closed'
  /** Of `connecting` and `reconnecting`, counted from 1. */
  readonly attempt?: number
  /** When the next attempt will be made. Epoch ms. */
  readonly retryAt?: number
  /** Why it is not live. */
  readonly error?: ErrorInfo
}

/** A session behind a server: what is known of it may be a part, and may be late. */
export interface RemoteSession extends AgentSession {
  /** A new object whenever it changes, and only then. */
  readonly connection: Connection
  /** Called after every change of `connection`. Returns the removal. */
  subscribeConnection(listener: () => void): () => void
  /** Whether there are messages before the first of `state.history`. */
  readonly hasBefore: boolean
  /** Puts at most `limit` older messages before those of `state.history`. Rejects with why it could not. */
  loadBefore(limit: number): Promise<void>
}
