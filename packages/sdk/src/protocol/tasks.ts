import type { ErrorInfo } from './errors.ts'
import type { JsonValue } from './json.ts'
import type { UsageTotals } from './usage.ts'

export interface TaskProgress {
  readonly bytes?: number
  /** Absent when unknown. */
  readonly total?: number
  /** Bytes a second. */
  readonly speed?: number
  readonly phase?: string
  readonly source?: 'file' | 'stream' | 'none'
}

/** Work beside the conversation: one row shape, `kind` tells what it is. */
export interface Task {
  readonly id: string
  readonly kind: 'subagent' | 'job' | 'workflow' | 'download' | 'install'
  readonly state: 'queued' | 'running' | 'waiting' | 'done' | 'failed' | 'cancelled' | 'lost'
  readonly title?: string
  readonly callId?: string
  readonly childId?: string
  readonly mode?: 'sync' | 'background'
  /** Whether the run is blocked on it. */
  readonly awaited?: boolean
  readonly progress?: TaskProgress
  readonly output?: JsonValue
  readonly error?: ErrorInfo
  readonly usage?: UsageTotals
}
