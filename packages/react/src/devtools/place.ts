import type { AgentEvent } from '@stepwell/sdk'
import type { EventLog } from './event-log.ts'

/** What a panel shows: a log as far as it was read, at one of its events. */
export interface Place {
  readonly log: EventLog
  readonly events: readonly AgentEvent[]
  readonly index: number
  onChoose(index: number): void
}
