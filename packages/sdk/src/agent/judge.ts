import type { AbortCommand, Command, InputCommand, Receipt, ReturnedInput, RunSettings } from '../protocol/commands.ts'
import { runIdOf } from '../protocol/commands.ts'
import type { ErrorCode } from '../protocol/errors.ts'
import type { EventDraft, RunConfig } from '../protocol/events.ts'
import { defined } from '../protocol/fields.ts'
import type { UserMessage } from '../protocol/messages.ts'
import type { Input, SessionState } from '../protocol/state.ts'
import { resolvedByNobody } from '../protocol/unanswered.ts'
import type { RowPatch } from '../stores/store.ts'

/** What a command comes to: the events it causes and the answer to whoever asked. */
export interface Verdict {
  readonly drafts: readonly EventDraft[]
  readonly receipt: Receipt
  /** What became of earlier commands by this one. */
  readonly settles?: readonly Receipt[]
  readonly row?: RowPatch
  /** The run that starts with these events. */
  readonly starts?: string
  /** The run that is to be stopped. */
  readonly stops?: string
}

/** What a run started now would be recorded with. */
export type ConfigOf = (options?: RunSettings) => RunConfig

/** The events with which a run takes an input: one append, so an accepted input cannot be lost in between. */
export function startWith(
  input: Pick<Input, 'id' | 'parts' | 'by'>,
  placed: 'start' | 'queue',
  config: RunConfig,
  at: number,
): EventDraft[] {
  const runId = runIdOf(input.id)
  const { id, parts } = input
  const by = author(input)
  const message: UserMessage = { role: 'user', id, at, runId, placed, parts, ...by }
  return [
    { type: 'run-start', runId, trigger: 'input', inputIds: [id], config, ...by },
    { type: 'message', runId, message, ...by },
  ]
}

/** Judges an input on everything sequenced before it. Pure. */
export function judgeInput(state: SessionState, command: InputCommand, config: ConfigOf, at: number): Verdict {
  const { id, parts, mode } = command
  const by = author(command)
  if (state.run === undefined) {
    const runId = runIdOf(id)
    return {
      drafts: [
        { type: 'input', runId, inputId: id, parts, lane: 'start', ...by },
        ...startWith({ id, parts, ...by }, 'start', config(command.options), at),
      ],
      row: { openRun: runId, parked: false },
      receipt: { commandId: id, status: 'started', inputId: id, runId, messageId: id },
      starts: runId,
    }
  }
  if (mode === 'run') {
    return refused(
      command,
      'session.busy',
      `Run ${state.run.id} is open. Use send() to steer it or to queue behind it.`,
    )
  }
  if (mode !== 'steer' && mode !== 'queue') return refused(command, 'input.invalid', `There is no mode ${mode}.`)
  // What comes after an abort runs next: the run it was meant for is ending.
  const lane = state.run.stopping ? 'queue' : mode
  const steers = lane === 'steer'
  const superseded = command.supersede && !state.run.stopping ? supersede(state, command) : []
  return {
    drafts: [...superseded, { type: 'input', runId: state.run.id, inputId: id, parts, lane, ...by }],
    ...(superseded.length > 0 && { row: GOES_ON }),
    receipt: {
      commandId: id,
      status: steers ? 'steered' : 'queued',
      inputId: id,
      runId: steers ? state.run.id : runIdOf(id),
    },
  }
}

/** Judges an abort, on everything sequenced before it. Pure. */
export function judgeAbort(state: SessionState, command: AbortCommand): Verdict {
  const { run } = state
  if (run === undefined || (command.runId !== undefined && command.runId !== run.id)) {
    const which = command.runId === undefined ? 'No run is open.' : `Run ${command.runId} is not open.`
    return refused(command, 'session.run-not-open', which)
  }
  const { steer, queue } = state.pending.lanes
  const given = run.stopping ? [] : [...steer, ...queue]
  const returned: ReturnedInput[] = given.map(({ id, parts, lane }) => ({ inputId: id, parts, lane }))
  const receipt: Receipt = { commandId: command.id, status: 'done', runId: run.id, returned }
  if (run.stopping) return { drafts: [], receipt }
  const by = author(command)
  return {
    drafts: [
      { type: 'abort', runId: run.id, ...by },
      ...returned.map(
        ({ inputId }): EventDraft => ({ type: 'input-returned', runId: run.id, inputId, reason: 'aborted', ...by }),
      ),
    ],
    receipt,
    settles: returned.map(({ inputId }) => ({ commandId: inputId, status: 'returned', inputId, runId: run.id })),
    // Whoever opens the session ends the run, should its owner die.
    row: GOES_ON,
    stops: run.id,
  }
}

/** The person writes instead of answering: whatever is open is answered by nobody, and the text is the note. */
function supersede({ run, pending }: SessionState, { parts, by }: InputCommand): EventDraft[] {
  const note = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
  return resolvedByNobody(pending.requests, { runId: run?.id, reason: 'superseded', note, ...author({ by }) })
}

/** What the session's row says of a run that was parked. */
export const GOES_ON: RowPatch = { parked: false, wakeAt: null }

/** What the session's row says when its run has ended. */
export const NO_OPEN_RUN: RowPatch = { openRun: null, parked: false, wakeAt: null }

/** It changes nothing, and says why. */
export function refused(command: Command, code: ErrorCode, message: string): Verdict {
  return {
    drafts: [],
    receipt: { commandId: command.id, status: 'refused', error: { code, message, retryable: false } },
  }
}

export function author({ by }: { readonly by?: string | undefined }): { by?: string } {
  return defined({ by })
}
