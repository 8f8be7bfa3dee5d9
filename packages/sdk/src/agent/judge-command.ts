import type {
  AbortCommand,
  Command,
  ContinueCommand,
  InputChangeCommand,
  InputCommand,
  ResolveCommand,
  ReturnedInput,
  RewindCommand,
  RunSettings,
  SessionPatch,
  UpdateCommand,
} from '../protocol/commands.ts'
import { runIdOf } from '../protocol/commands.ts'
import type { RunStartEvent } from '../protocol/events.ts'
import { defined } from '../protocol/fields.ts'
import { isObject } from '../protocol/json.ts'
import type { Resolution } from '../protocol/requests.ts'
import { readResolution } from '../protocol/resolutions.ts'
import type { Input, SessionState } from '../protocol/state.ts'
import { author, type ConfigOf, GOES_ON, refused, startWith, type Verdict } from './judge.ts'
import { ownJson } from './own-json.ts'

/** Judges what is neither an input nor an abort, on everything sequenced before it. Pure. */
export function judgeCommand(
  state: SessionState,
  command: Exclude<Command, InputCommand | AbortCommand>,
  config: ConfigOf,
  at: number,
): Verdict {
  switch (command.type) {
    case 'continue':
      return judgeContinue(state, command, config, at)
    case 'resolve':
      return judgeResolve(state, command)
    case 'input-change':
      return judgeInputChange(state, command, config, at)
    case 'rewind':
      return judgeRewind(state, command)
    case 'update':
      return judgeUpdate(command)
    default:
      return refused(command, 'session.not-supported', `This version cannot carry out '${command.type}' commands.`)
  }
}

function judgeContinue(state: SessionState, command: ContinueCommand, config: ConfigOf, at: number): Verdict {
  if (state.run !== undefined) return refused(command, 'session.busy', `Run ${state.run.id} is open.`)
  const [next] = state.pending.lanes.queue
  if (isAnswered(state)) {
    if (next === undefined) {
      return refused(command, 'session.nothing-to-continue', 'The last reply is complete and no input is waiting.')
    }
    const started = startNext(next, config, at, command.options)
    return { ...started, receipt: { ...started.receipt, commandId: command.id }, settles: [started.receipt] }
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

/** The first answer wins. */
function judgeResolve(state: SessionState, command: ResolveCommand): Verdict {
  const { requestId } = command
  const { run, pending } = state
  const request = pending.requests.find(({ id }) => id === requestId)
  if (request === undefined) {
    return wasResolved(state, requestId)
      ? refused(command, 'request.already-resolved', `Request ${requestId} was resolved before; that answer stands.`)
      : refused(command, 'request.unknown', `The session has no request ${requestId}.`)
  }
  if (run?.stopping) return refused(command, 'request.already-resolved', `Run ${run.id} is stopping; nothing is asked.`)
  const read = readResolution(request, ownJson(command.resolution) as Resolution)
  if ('problem' in read) {
    return refused(command, 'request.invalid-answer', `Request ${requestId} is still open: ${read.problem}.`)
  }
  return {
    drafts: [
      {
        type: 'request-resolved',
        ...(run && { runId: run.id }),
        requestId,
        resolution: read.resolution,
        reason: 'answered',
        ...author(command),
      },
    ],
    row: GOES_ON,
    receipt: { commandId: command.id, status: 'done', ...(run && { runId: run.id }) },
  }
}

/** Requests are named after their calls, which the history keeps. */
function wasResolved({ history }: SessionState, requestId: string): boolean {
  return history.some(
    (message) =>
      message.role === 'assistant' &&
      message.parts.some(
        (part) =>
          part.type === 'tool-call' &&
          (requestId === `req_${part.callId}` || requestId.startsWith(`req_${part.callId}_`)),
      ),
  )
}

function judgeInputChange(state: SessionState, command: InputChangeCommand, config: ConfigOf, at: number): Verdict {
  const { inputId, parts, lane, remove } = command
  const { steer, queue } = state.pending.lanes
  const input = [...steer, ...queue].find(({ id }) => id === inputId)
  if (input === undefined) {
    return refused(command, 'input.unknown', `No input ${inputId} is waiting: it was taken, returned, or never came.`)
  }
  const by = author(command)
  const inRun = state.run === undefined ? {} : { runId: state.run.id }
  if (remove) {
    const returned: ReturnedInput = { inputId, parts: input.parts, lane: input.lane }
    return {
      drafts: [{ type: 'input-returned', ...inRun, inputId, reason: 'removed', ...by }],
      receipt: { commandId: command.id, status: 'done', inputId, returned: [returned] },
      settles: [{ commandId: inputId, status: 'returned', inputId }],
    }
  }
  if (lane !== undefined && lane !== 'steer' && lane !== 'queue') {
    return refused(command, 'input.invalid', `There is no lane ${lane}: it is "steer" or "queue".`)
  }
  if (lane === 'steer' && state.run === undefined) {
    const started = startNext({ ...input, ...(parts && { parts }) }, config, at)
    return { ...started, receipt: { ...started.receipt, commandId: command.id }, settles: [started.receipt] }
  }
  if (lane === 'steer' && state.run?.stopping) {
    return refused(command, 'session.busy', `Run ${state.run.id} is stopping: the input runs next.`)
  }
  const to = lane ?? input.lane
  return {
    drafts: [{ type: 'input-changed', ...inRun, inputId, ...(parts && { parts }), ...(lane && { lane }), ...by }],
    receipt: { commandId: command.id, status: 'done', inputId },
    settles: [
      {
        commandId: inputId,
        status: to === 'steer' ? 'steered' : 'queued',
        inputId,
        runId: to === 'steer' && state.run ? state.run.id : runIdOf(inputId),
      },
    ],
  }
}

/** The run that an input from the queue starts. */
function startNext(input: Input, config: ConfigOf, at: number, options?: RunSettings): Verdict {
  const runId = runIdOf(input.id)
  return {
    drafts: startWith(input, 'queue', config(options), at),
    row: { openRun: runId, parked: false },
    receipt: { commandId: input.id, status: 'started', inputId: input.id, runId, messageId: input.id },
    starts: runId,
  }
}

function judgeRewind(state: SessionState, command: RewindCommand): Verdict {
  const { toMessageId } = command
  if (state.run !== undefined) return refused(command, 'session.busy', `Run ${state.run.id} is open. Abort it first.`)
  if (toMessageId !== undefined && !state.history.some(({ id }) => id === toMessageId)) {
    return refused(command, 'session.unknown-message', `The history has no message ${toMessageId}.`)
  }
  return {
    drafts: [{ type: 'rewound', ...(toMessageId !== undefined && { toMessageId }), ...author(command) }],
    receipt: { commandId: command.id, status: 'done' },
  }
}

function judgeUpdate(command: UpdateCommand): Verdict {
  const { title, profile, metadata, archived } = (ownJson(command.row) ?? {}) as SessionPatch
  const isRight =
    [title, profile].every((text) => text == null || typeof text === 'string') &&
    (metadata == null || isObject(metadata)) &&
    (archived == null || typeof archived === 'boolean')
  if (!isRight) {
    const takes = 'update takes { title, profile, metadata, archived }: texts, an object, true or false.'
    return refused(command, 'input.invalid', `${takes} null removes a field.`)
  }
  const patch = defined({ title, profile, metadata, archived })
  return {
    drafts: [{ type: 'session-updated', ...patch, ...author(command) }],
    row: patch,
    receipt: { commandId: command.id, status: 'done' },
  }
}
