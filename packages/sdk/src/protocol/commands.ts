import type { Budget } from './budget.ts'
import type { ErrorInfo } from './errors.ts'
import type { JsonObject } from './json.ts'
import type { UserPart } from './messages.ts'
import type { OutputSchema } from './output.ts'
import type { Resolution } from './requests.ts'

/** Where an input waits while a run is open: for its next model request, or for the next run. */
export type Lane = 'steer' | 'queue'

export interface CommandBase {
  /** Unique in the session. The same id with the same content gives the same receipt, with other content `session.conflict`. */
  readonly id: string
  /** Epoch ms. */
  readonly at: number
  readonly by?: string
}

/** What of a run's configuration one command sets. Values that are no data (models, agents) never travel. */
export interface RunSettings {
  readonly maxTurns?: number
  /** Nobody is there to be asked: what would be asked is denied at once. */
  readonly unattended?: boolean
  readonly graceTurns?: number
  /** The reply has to be JSON of this schema. */
  readonly output?: OutputSchema
  /** Budgets of this run alone. One with the `per` and `scope` of an agent's takes its place. */
  readonly limits?: readonly Budget[]
  readonly settings?: JsonObject
  readonly metadata?: JsonObject
}

export interface InputCommand extends CommandBase {
  readonly type: 'input'
  readonly parts: readonly UserPart[]
  /** `run`: start now or be refused with `session.busy`. */
  readonly mode: 'run' | Lane
  /** While a run is parked: deny its open requests with this text as the note. */
  readonly supersede?: boolean
  readonly options?: RunSettings
}

export interface InputChangeCommand extends CommandBase {
  readonly type: 'input-change'
  readonly inputId: string
  readonly parts?: readonly UserPart[]
  readonly lane?: Lane
  readonly remove?: boolean
}

export interface AbortCommand extends CommandBase {
  readonly type: 'abort'
  /** Absent: whichever run is open. */
  readonly runId?: string
}

export interface ResolveCommand extends CommandBase {
  readonly type: 'resolve'
  readonly requestId: string
  readonly resolution: Resolution
}

export interface ContinueCommand extends CommandBase {
  readonly type: 'continue'
  readonly options?: RunSettings
}

export interface CompactCommand extends CommandBase {
  readonly type: 'compact'
}

export interface RewindCommand extends CommandBase {
  readonly type: 'rewind'
  readonly toMessageId?: string
}

/** `null` removes a field. */
export interface SessionPatch {
  readonly title?: string | null
  readonly profile?: string | null
  readonly metadata?: JsonObject | null
  readonly archived?: boolean
}

export interface UpdateCommand extends CommandBase {
  readonly type: 'update'
  readonly row: SessionPatch
}

export interface DeliverCommand extends CommandBase {
  readonly type: 'deliver'
  readonly childId: string
  readonly runId: string
  readonly text: string
}

export type Command =
  | InputCommand
  | InputChangeCommand
  | AbortCommand
  | ResolveCommand
  | ContinueCommand
  | CompactCommand
  | RewindCommand
  | UpdateCommand
  | DeliverCommand

/** What became of a command. `accepted`: it is in the inbox and the owner has not judged it yet. */
export interface Receipt {
  readonly commandId: string
  readonly status: 'accepted' | 'started' | 'steered' | 'queued' | 'returned' | 'done' | 'refused'
  readonly inputId?: string
  readonly runId?: string
  readonly messageId?: string
  /** The seq of the last event it caused. */
  readonly seq?: number
  /** Inputs an abort handed back, oldest first. */
  readonly returned?: readonly ReturnedInput[]
  readonly error?: ErrorInfo
}

export interface ReturnedInput {
  readonly inputId: string
  readonly parts: readonly UserPart[]
  readonly lane: Lane
}

/** The id of the run a command starts. */
export function runIdOf(commandId: string): string {
  return `run_${commandId}`
}
