import type { Command, Receipt } from '../protocol/commands.ts'
import { ConfigError } from '../protocol/errors.ts'
import type { Feed } from './feed.ts'
import type { OpenOptions } from './open-options.ts'
import type { AgentRuntime } from './runtime.ts'

/** What of an agent is for other parts of this library, and for nobody else. */
export interface AgentHost {
  readonly runtime: AgentRuntime
  /** Opens a session, or creates it: what `agent.session()` gives handles of. */
  open(id: string, options: OpenOptions): Promise<HostedSession>
  /** Gives a session up here, with its open run: whoever opens it next looks after that. Its readers are let go. */
  handOver(id: string): Promise<void>
}

export interface HostedSession {
  readonly id: string
  readonly feed: Feed
  /** Whether a run is at work here. */
  readonly isRunning: boolean
  /** Settles when no run is at work here any more, and the session is given back. */
  idle(): Promise<void>
  /**
   * Reads what is new where the owner lives elsewhere. A run that is open, not parked, and that nobody runs is recovered,
   * as when the session was opened.
   */
  lookAfter(): Promise<void>
  /** `repeatable`: the command's id is the caller's, who may have sent it before. */
  submit(command: Command | Promise<Command>, repeatable: boolean): Promise<Receipt>
}

const hosts = new WeakMap<object, AgentHost>()

export function registerAgent(agent: object, host: AgentHost): void {
  hosts.set(agent, host)
}

/** Throws `config.invalid` for what `createAgent` did not give. */
export function hostOf(agent: object): AgentHost {
  const host = hosts.get(agent)
  if (host === undefined) throw new ConfigError('config.invalid', 'agent has to be what createAgent gave.')
  return host
}
