import type { Command, InputCommand, Receipt, ReturnedInput, RunSettings } from '../protocol/commands.ts'
import { runIdOf } from '../protocol/commands.ts'
import type { ErrorCode } from '../protocol/errors.ts'
import type { EventDraft, RunConfig, RunStartEvent } from '../protocol/events.ts'
import type { UserMessage } from '../protocol/messages.ts'
import type { Input, SessionState } from '../protocol/state.ts'
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

/** Judges a command on everything sequenced before it. Pure: `config` is what a run started now would be recorded with. */
export function judge(
  state: SessionState,
  command: Command,
  config: (options?: RunSettings) => RunConfig,
  at: number,
): Verdict {
  switch (command.type) {
    case 'input':
      return judgeInput(state, command, config, at)
    case 'continue':
      return judgeContinue(state, command, config, at)
    case 'abort':
      return judgeAbort(state, command)
    case 'update': {
      const patch = command.row
      const title = patch.title === undefined ? {} : { title: patch.title }
      return {
        drafts: [{ type: 'session-updated', ...patch, ...author(command) }],
        row: { ...patch, ...title },
        receipt: { commandId: command.id, status: 'done' },
      }
    }
    default:
      return refused(command, 'session.not-supported', `This version cannot carry out '${command.type}' commands.`)
  }
}

/** The events with which a run takes an input: one append, so an accepted input cannot be lost in between. */
export function startWith(
  input: Pick<Input, 'id' | 'parts' | 'by'>,
  placed: 'start' | 'queue',
  config: RunConfig,
  at: number,
): EventDraft[] {
  const runId = runIdOf(input.id)
  const by = input.by === undefined ? {} : { by: input.by }
  const message: UserMessage = { role: 'user', id: input.id, at, runId, placed, parts: input.parts, ...by }
  return [
    { type: 'run-start', runId, trigger: 'input', inputIds: [input.id], config, ...by },
    { type: 'message', runId, message, ...by },
  ]
}

function judgeInput(
  state: SessionState,
  command: InputCommand,
  config: (options?: RunSettings) => RunConfig,
  at: number,
): Verdict {
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
  // What comes after an abort runs next: the run it was meant for is ending.
  const lane = state.run.stopping ? 'queue' : mode
  const steers = lane === 'steer'
  return {
    drafts: [{ type: 'input', runId: state.run.id, inputId: id, parts, lane, ...by }],
    receipt: {
      commandId: id,
      status: steers ? 'steered' : 'queued',
      inputId: id,
      runId: steers ? state.run.id : runIdOf(id),
    },
  }
}

function judgeContinue(
  state: SessionState,
  command: Extract<Command, { type: 'continue' }>,
  config: (options?: RunSettings) => RunConfig,
  at: number,
): Verdict {
  if (state.run !== undefined) return refused(command, 'session.busy', `Run ${state.run.id} is open.`)
  const [next] = state.pending.lanes.queue
  if (isAnswered(state)) {
    if (next === undefined) {
      return refused(command, 'session.nothing-to-continue', 'The last reply is complete and no input is waiting.')
    }
    const runId = runIdOf(next.id)
    const started = { status: 'started', inputId: next.id, runId, messageId: next.id } as const
    return {
      drafts: startWith(next, 'queue', config(command.options), at),
      row: { openRun: runId, parked: false },
      receipt: { commandId: command.id, ...started },
      settles: [{ commandId: next.id, ...started }],
      starts: runId,
    }
  }
  const runId = runIdOf(command.id)
  const start: Omit<RunStartEvent, 'seq' | 'at'> = {
    type: 'run-start',
    runId,
    trigger: 'continue',
    inputIds: [],
    config: config(command.options),
    ...author(command),
  }
  return {
    drafts: [start],
    row: { openRun: runId, parked: false },
    receipt: { commandId: command.id, status: 'started', runId },
    starts: runId,
  }
}

/** Whether a model has nothing left to say to this history: it is empty, or ends with the reply of a finished run. */
function isAnswered({ history, lastFinish }: SessionState): boolean {
  const last = history.findLast((message) => message.role !== 'note')
  if (last === undefined) return true
  if (last.role !== 'assistant' || last.partial) return false
  if (last.parts.some((part) => part.type === 'tool-call' && !part.executed)) return false
  return last.runId === undefined || last.runId !== lastFinish?.runId || lastFinish.reason === 'stop'
}

function judgeAbort(state: SessionState, command: Extract<Command, { type: 'abort' }>): Verdict {
  const { run } = state
  if (run === undefined || (command.runId !== undefined && command.runId !== run.id)) {
    const which = command.runId === undefined ? 'No run is open.' : `Run ${command.runId} is not open.`
    return refused(command, 'session.run-not-open', which)
  }
  if (run.stopping)
    return { drafts: [], receipt: { commandId: command.id, status: 'done', runId: run.id, returned: [] } }
  const { steer, queue } = state.pending.lanes
  const by = author(command)
  const returned: ReturnedInput[] = [...steer, ...queue].map(({ id, parts, lane }) => ({ inputId: id, parts, lane }))
  return {
    drafts: [
      { type: 'abort', runId: run.id, ...by },
      ...returned.map(
        ({ inputId }): EventDraft => ({ type: 'input-returned', runId: run.id, inputId, reason: 'aborted', ...by }),
      ),
    ],
    receipt: { commandId: command.id, status: 'done', runId: run.id, returned },
    settles: returned.map(({ inputId }) => ({ commandId: inputId, status: 'returned', inputId, runId: run.id })),
    stops: run.id,
  }
}

function refused(command: Command, code: ErrorCode, message: string): Verdict {
  return {
    drafts: [],
    receipt: { commandId: command.id, status: 'refused', error: { code, message, retryable: false } },
  }
}

function author(command: Command): { by?: string } {
  return command.by === undefined ? {} : { by: command.by }
}
