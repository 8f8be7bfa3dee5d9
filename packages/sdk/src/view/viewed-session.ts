import type { RemoteSession } from '../protocol/remote-session.ts'
import type { AgentSession } from '../protocol/session.ts'

/**
 * Any session. One behind a server also tells of its connection, and loads older messages. Its functions are bound: they are
 * handed out on their own.
 */
export type ViewedSession = AgentSession & Partial<Omit<RemoteSession, keyof AgentSession>>
