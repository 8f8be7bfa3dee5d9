import type { StepwellError } from '../protocol/errors.ts'
import type { TurnStartEvent } from '../protocol/events.ts'
import type { ModelProvider } from '../providers/provider.ts'
import type { Calls } from './execution.ts'
import type { Reply } from './reply.ts'
import type { BuiltRequest } from './request.ts'

/** What a turn asks the model for, in however many attempts. */
export interface Turn extends BuiltRequest {
  readonly number: number
  readonly messageId: string
  readonly purpose: Exclude<TurnStartEvent['purpose'], 'compaction'>
}

/** One request to the model and what came of it. */
export interface Attempt {
  readonly number: number
  readonly model: ModelProvider
  readonly reply: Reply
  /** Its calls, of which some began while the model was still talking. */
  readonly calls: Calls
  readonly estimatedTokens: number
  /** Whether the request left. */
  isSent: boolean
  /** Why there is no whole reply; `session.aborted` when the run was stopped. */
  failure?: StepwellError
  /** We cut the reply. */
  cut?: 'looping' | 'compliance'
}
