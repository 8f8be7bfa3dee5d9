import type { AgentEvent, FinishEvent, MessageEvent, ToolResultEvent, UsageEvent } from './events.ts'
import { isDelta } from './events.ts'
import type { AssistantMessage, Message, ToolCallPart } from './messages.ts'
import { applyDeltas } from './reduce-deltas.ts'
import { applyLive, endLive, endLiveCalls, endLiveTask } from './reduce-live.ts'
import type { Resolved } from './requests.ts'
import type { Draft, Input, OpenRun, PendingCall, SessionState, SessionStatus } from './state.ts'
import { addUsage, NO_USAGE } from './usage.ts'

const NOTICES_KEPT = 100

/**
 * Folds events into a state. Pure: the given state is untouched, and what did not change stays the same reference.
 * Events at or below `state.seq` are ignored, so any suffix may be delivered again; so are types it does not know.
 */
export function reduce(state: SessionState, events: readonly AgentEvent[]): SessionState {
  let draft: Draft | undefined
  const batch: Batch = { history: undefined }
  for (let i = 0; i < events.length; i++) {
    const event = events[i] as AgentEvent
    if (event.seq <= (draft ?? state).seq) continue
    draft ??= { ...state }
    if (isDelta(event)) {
      i = applyDeltas(draft, events, i)
    } else {
      apply(draft, event, batch)
      draft.seq = event.seq
    }
  }
  if (draft === undefined) return state
  draft.status = statusOf(draft)
  return draft
}

function statusOf({ run, pending }: SessionState): SessionStatus {
  if (run === undefined) return 'idle'
  if (run.stopping) return 'stopping'
  if (pending.requests.length === 0 || pending.message !== undefined) return 'running'
  const answerable = new Set(pending.requests.map((request) => request.id))
  for (const callId in pending.calls) {
    const { requestId } = pending.calls[callId] as PendingCall
    if (requestId === undefined || !answerable.has(requestId)) return 'running'
  }
  return 'waiting'
}

function apply(draft: Draft, event: AgentEvent, batch: Batch): void {
  switch (event.type) {
    case 'session-created': {
      const { type: _type, seq: _seq, at, by: _by, runId: _runId, ...details } = event
      draft.row = { ...details, createdAt: at }
      return
    }
    case 'session-updated': {
      const { type: _type, seq: _seq, at: _at, by: _by, runId: _runId, ...patch } = event
      const known = Object.entries({ ...draft.row, ...patch }).filter(([, value]) => value !== null)
      draft.row = Object.fromEntries(known) as unknown as SessionState['row']
      return
    }
    case 'input': {
      if (event.lane === 'start') return
      const input: Input = {
        id: event.inputId,
        parts: event.parts,
        lane: event.lane,
        at: event.at,
        ...(event.by !== undefined && { by: event.by }),
      }
      return setLanes(draft, { [input.lane]: [...draft.pending.lanes[input.lane], input] })
    }
    case 'input-changed': {
      const { steer, queue } = draft.pending.lanes
      const input = [...steer, ...queue].find(({ id }) => id === event.inputId)
      if (input === undefined) return
      const changed: Input = { ...input, parts: event.parts ?? input.parts, lane: event.lane ?? input.lane }
      if (changed.lane === input.lane) {
        const lane = draft.pending.lanes[input.lane]
        return setLanes(draft, { [input.lane]: lane.map((other) => (other === input ? changed : other)) })
      }
      takeInput(draft, input.id)
      return setLanes(draft, { [changed.lane]: [...draft.pending.lanes[changed.lane], changed] })
    }
    case 'input-returned':
      return takeInput(draft, event.inputId)
    case 'abort':
      if (draft.run?.id === event.runId) draft.run = { ...draft.run, stopping: true }
      return
    case 'history':
      ownHistory(draft, batch).push(...event.messages)
      return
    case 'run-start': {
      draft.run = {
        id: event.runId,
        startedAt: event.at,
        trigger: event.trigger,
        ...(event.by !== undefined && { by: event.by }),
        config: event.config,
        turn: 0,
        attempt: 0,
      }
      const { instructions, instructionsHash } = event.config
      if (instructions !== undefined && instructionsHash !== undefined) {
        draft.instructions = [...draft.instructions, instructionsHash]
      }
      if (draft.usage.run.requests > 0) draft.usage = { ...draft.usage, run: NO_USAGE }
      if (draft.pending.lanes.paused) setLanes(draft, { paused: false })
      return
    }
    case 'turn-start': {
      if (draft.run === undefined) return
      const { estimatedTokens } = event
      const compaction = event.purpose === 'compaction'
      const { replyStop: _answered, ...run } = draft.run
      const openCall = {
        model: event.model.model,
        ...(estimatedTokens !== undefined && { estimatedTokens }),
        ...(compaction && { compaction }),
      }
      draft.run = { ...run, turn: event.turn, attempt: event.attempt, openCall }
      endLiveCalls(draft)
      if (compaction) return
      const message: AssistantMessage = {
        role: 'assistant',
        id: event.messageId,
        at: event.at,
        runId: event.runId,
        turn: event.turn,
        model: event.model,
        parts: [],
      }
      draft.pending = { ...draft.pending, message }
      if (event.context) draft.usage = { ...draft.usage, context: event.context }
      return
    }
    case 'message':
      return applyMessage(draft, event, batch)
    case 'usage':
      return applyUsage(draft, event)
    case 'tool-result':
      return applyResult(draft, event, batch)
    case 'request': {
      const { request } = event
      draft.pending = { ...draft.pending, requests: [...draft.pending.requests, request] }
      if (request.callId !== undefined) markCall(draft, request.callId, request.id, batch)
      return
    }
    case 'request-resolved': {
      const resolved = draft.pending.requests.find(({ id }) => id === event.requestId)
      if (resolved === undefined) return
      draft.pending = { ...draft.pending, requests: draft.pending.requests.filter((request) => request !== resolved) }
      if (resolved.callId !== undefined) {
        const stillOpen = draft.pending.requests.findLast(({ callId }) => callId === resolved.callId)
        const { resolution, reason, by } = event
        const answer: Resolved = { resolution, reason, ...(by !== undefined && { by }) }
        markCall(draft, resolved.callId, stillOpen?.id, batch, { [resolved.id]: answer })
      }
      return
    }
    case 'compaction':
      ownHistory(draft, batch).push(event.note)
      return
    case 'notice':
      draft.notices = [...draft.notices, event].slice(-NOTICES_KEPT)
      return
    case 'task':
      if (event.live) return applyLive(draft, event)
      draft.tasks = { ...draft.tasks, [event.task.id]: event.task }
      return endLiveTask(draft, event.task.id)
    case 'rewound': {
      const kept = draft.history.findLastIndex(({ id }) => id === event.toMessageId)
      if (kept + 1 < draft.history.length) draft.history = draft.history.slice(0, kept + 1)
      return
    }
    case 'finish':
      return applyFinish(draft, event)
    case 'tool-input-changed': {
      const call = draft.pending.calls[event.callId]
      if (call) setCall(draft, { ...call, changedInput: event.input })
      return
    }
    case 'tool-start':
      if (event.effect !== 'read') {
        const call = draft.pending.calls[event.callId]
        if (call) setCall(draft, { ...call, started: event.effect })
      }
      return applyLive(draft, event)
    case 'tool-call':
    case 'tool-output':
    case 'activity':
      return applyLive(draft, event)
  }
}

/** What this batch has copied already and may change in place. */
interface Batch {
  history: Message[] | undefined
}

/** History is copied once a batch, however many messages it brings: opening a long session stays linear. */
function ownHistory(draft: Draft, batch: Batch): Message[] {
  if (batch.history === undefined || batch.history !== draft.history) {
    batch.history = draft.history.slice()
    draft.history = batch.history
  }
  return batch.history
}

function applyMessage(draft: Draft, { message }: MessageEvent, batch: Batch): void {
  ownHistory(draft, batch).push(message)
  if (message.role === 'user') return takeInput(draft, message.id)
  if (message.role !== 'assistant') return
  let { calls } = draft.pending
  message.parts.forEach((part, index) => {
    if (part.type !== 'tool-call' || part.executed || part.result) return
    const { callId, toolName, input } = part
    const call = { callId, toolName, messageId: message.id, part: index, ...(input && { input }) }
    calls = { ...calls, [callId]: call }
  })
  const { message: open, ...pending } = draft.pending
  draft.pending = { ...pending, ...(open && open.id !== message.id && { message: open }), calls }
}

function applyUsage(draft: Draft, event: UsageEvent): void {
  const { model, call, context, budgetRemaining } = event
  // The name comes from outside: it may be that of a property every object has.
  const sumOfModel = Object.hasOwn(draft.usage.byModel, model) ? draft.usage.byModel[model] : undefined
  draft.usage = {
    ...draft.usage,
    run: event.run,
    total: event.total,
    own: addUsage(draft.usage.own, call),
    byModel: { ...draft.usage.byModel, [model]: addUsage(sumOfModel ?? NO_USAGE, call) },
    ...(context && { context }),
    ...(budgetRemaining && { budgetRemaining }),
  }
  if (draft.run?.openCall) {
    const { openCall, ...run } = draft.run
    const isWhole = !openCall.compaction && event.stop !== 'error' && event.stop !== 'aborted'
    draft.run = isWhole ? { ...run, replyStop: event.stop } : run
  }
}

function applyResult(draft: Draft, event: ToolResultEvent, batch: Batch): void {
  const { result } = event
  const call = draft.pending.calls[result.callId]
  if (call === undefined) return
  const { [result.callId]: _answered, ...calls } = draft.pending.calls
  draft.pending = { ...draft.pending, calls }
  editCall(draft, call, (part) => ({ ...part, state: 'done', result }), batch)
  if (result.artifacts?.length) draft.deliverables = [...draft.deliverables, ...result.artifacts]
  applyLive(draft, event)
}

function applyFinish(draft: Draft, event: FinishEvent): void {
  const { type: _type, seq: _seq, by: _by, ...finish } = event
  draft.lastFinish = finish
  const { calls, requests, lanes } = draft.pending
  draft.pending = {
    calls: Object.keys(calls).length > 0 ? {} : calls,
    requests: requests.length > 0 ? [] : requests,
    lanes,
  }
  if (lanes.steer.length > 0) {
    const left = lanes.steer.map((input): Input => ({ ...input, lane: 'queue' }))
    setLanes(draft, { steer: [], queue: [...left, ...lanes.queue] })
  }
  const paused = event.reason !== 'stop'
  if (paused !== lanes.paused) setLanes(draft, { paused })
  draft.usage = { ...draft.usage, run: event.usage.run, total: event.usage.total }
  delete (draft as { run?: OpenRun }).run
  endLive(draft)
}

function setLanes(draft: Draft, lanes: Partial<SessionState['pending']['lanes']>): void {
  draft.pending = { ...draft.pending, lanes: { ...draft.pending.lanes, ...lanes } }
}

function takeInput(draft: Draft, inputId: string): void {
  const { steer, queue } = draft.pending.lanes
  if (steer.some(({ id }) => id === inputId)) setLanes(draft, { steer: steer.filter(({ id }) => id !== inputId) })
  if (queue.some(({ id }) => id === inputId)) setLanes(draft, { queue: queue.filter(({ id }) => id !== inputId) })
}

function setCall(draft: Draft, call: PendingCall): void {
  draft.pending = { ...draft.pending, calls: { ...draft.pending.calls, [call.callId]: call } }
}

function markCall(
  draft: Draft,
  callId: string,
  requestId: string | undefined,
  batch: Batch,
  answered?: Readonly<Record<string, Resolved>>,
): void {
  const call = draft.pending.calls[callId]
  if (call === undefined) return
  const { requestId: _before, ...rest } = call
  const resolved = answered && { resolved: { ...rest.resolved, ...answered } }
  setCall(draft, { ...rest, ...(requestId !== undefined && { requestId }), ...resolved })
  editCall(draft, call, (part) => ({ ...part, state: requestId === undefined ? 'ready' : 'waiting' }), batch)
}

/** Readers may hold only the last messages: a call outside the window changes nothing. */
function editCall(draft: Draft, call: PendingCall, edit: (part: ToolCallPart) => ToolCallPart, batch: Batch): void {
  const index = draft.history.findLastIndex(({ id }) => id === call.messageId)
  if (index === -1) return
  const message = draft.history[index] as AssistantMessage
  const parts = message.parts.slice()
  parts[call.part] = edit(parts[call.part] as ToolCallPart)
  ownHistory(draft, batch)[index] = { ...message, parts }
}
