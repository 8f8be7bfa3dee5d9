import { changed, patched, without } from './changes.ts'
import { type AgentEvent, type AgentEventType, type DeltaEvent, type EventBase, isDelta } from './events.ts'
import { defined } from './fields.ts'
import type { Message, ToolCallPart } from './messages.ts'
import { applyDeltas } from './reduce-deltas.ts'
import type { Request, Resolved } from './requests.ts'
import type { Draft, Input, PendingCall, SessionState, SessionStatus } from './state.ts'
import { addUsage, NO_USAGE } from './usage.ts'

const NOTICES_KEPT = 100

/** UTF-16 units of a running tool's output that are kept for people. */
const OUTPUT_KEPT = 20_000

/**
 * Folds events into a state. Pure: the given state is untouched, and what did not change stays the same reference.
 * Events at or below `state.seq` are ignored, so any suffix may be delivered again; so are types it does not know.
 */
export function reduce(state: SessionState, events: readonly AgentEvent[]): SessionState {
  let draft: Draft | undefined
  for (let i = 0; i < events.length; i++) {
    const event = events[i] as AgentEvent
    if (event.seq <= (draft ?? state).seq) continue
    draft ??= { ...state }
    if (isDelta(event)) {
      i = applyDeltas(draft, events, i)
    } else {
      draft.seq = event.seq
      FOLDS.get(event.type)?.(draft, event, state)
    }
  }
  if (draft === undefined) return state
  draft.status = statusOf(draft)
  return draft
}

function statusOf({ run, pending }: SessionState): SessionStatus {
  const { calls, message, requests } = pending
  if (run === undefined) return 'idle'
  if (run.stopping) return 'stopping'
  const isAsked = ({ requestId }: PendingCall) => requests.some(({ id }) => id === requestId)
  return requests.length > 0 && !message && Object.values(calls).every(isAsked) ? 'waiting' : 'running'
}

/** `before`: the state that the batch began with. */
type Fold<E> = (draft: Draft, event: E, before: SessionState) => void

const folds: { readonly [T in Exclude<AgentEventType, DeltaEvent['type']>]: Fold<Extract<AgentEvent, { type: T }>> } = {
  'session-created'(draft, event) {
    draft.row = { ...contentOf(event), createdAt: event.at }
  },

  'session-updated'(draft, event) {
    draft.row = patched(draft.row, contentOf(event))
  },

  input(draft, { inputId: id, parts, lane, at, by }) {
    if (lane !== 'start') enqueue(draft, defined({ id, parts, lane, at, by }))
  },

  'input-changed'(draft, { inputId, parts, lane }) {
    const { steer, queue } = draft.pending.lanes
    const input = [...steer, ...queue].find(({ id }) => id === inputId)
    if (input === undefined) return
    const edited = { ...input, parts: parts ?? input.parts, lane: lane ?? input.lane }
    replaceInput(draft, inputId, edited)
    if (edited.lane !== input.lane) enqueue(draft, edited)
  },

  'input-returned'(draft, { inputId }) {
    replaceInput(draft, inputId)
  },

  abort(draft, { runId }) {
    if (draft.run?.id === runId) draft.run = { ...draft.run, stopping: true }
  },

  history(draft, { messages }, before) {
    ownHistory(draft, before).push(...messages)
  },

  'run-start'(draft, { runId: id, seq, at: startedAt, trigger, by, config }) {
    draft.run = defined({ id, seq, startedAt, trigger, by, config, turn: 0, attempt: 0 })
    const { instructions, instructionsHash } = config
    if (instructions !== undefined && instructionsHash !== undefined) {
      draft.instructions = [...draft.instructions, instructionsHash]
    }
    if (draft.usage.run.requests > 0) draft.usage = { ...draft.usage, run: NO_USAGE }
    setLanes(draft, { paused: false })
  },

  'turn-start'(draft, event) {
    if (draft.run === undefined) return
    const { at, runId, turn, attempt, model, estimatedTokens } = event
    const compaction = event.purpose === 'compaction' || undefined
    const openCall = defined({ model: model.model, estimatedTokens, compaction })
    draft.run = changed(draft.run, { turn, attempt, openCall, replyStop: undefined })
    // Calls of a reply that was thrown away never get a result.
    draft.live = changed(draft.live, { calls: emptied(draft.live.calls) })
    if (compaction) return
    const message = { role: 'assistant', id: event.messageId, at, runId, turn, model, parts: [] } as const
    draft.pending = { ...draft.pending, message }
    if (event.context) draft.usage = { ...draft.usage, context: event.context }
  },

  message(draft, { message }, before) {
    ownHistory(draft, before).push(message)
    if (message.role === 'user') replaceInput(draft, message.id)
    if (message.role !== 'assistant') return
    const { message: open } = draft.pending
    if (open?.id === message.id) draft.pending = changed(draft.pending, { message: undefined })
    message.parts.forEach((part, index) => {
      if (part.type !== 'tool-call' || part.executed || part.result) return
      const { callId, toolName, input } = part
      const call = defined({ callId, toolName, messageId: message.id, part: index, input })
      setCall(draft, 'pending', before, callId, call)
    })
  },

  usage(draft, { call, run, total, model, stop, context, budgetRemaining }) {
    const { own, byModel } = draft.usage
    // The name comes from outside: it may be that of a property every object has.
    const ofModel = Object.hasOwn(byModel, model) ? byModel[model] : undefined
    draft.usage = {
      ...draft.usage,
      ...defined({ context, budgetRemaining }),
      run,
      total,
      own: addUsage(own, call),
      byModel: { ...byModel, [model]: addUsage(ofModel ?? NO_USAGE, call) },
    }
    if (!draft.run?.openCall) return
    const isWhole = !draft.run.openCall.compaction && stop !== 'error' && stop !== 'aborted'
    draft.run = changed(draft.run, { openCall: undefined, replyStop: isWhole ? stop : undefined })
  },

  'tool-call'(draft, { callId, toolName, input }, before) {
    setCall(draft, 'live', before, callId, { toolName, input, running: false, output: '' })
  },

  'tool-input-changed'(draft, { callId, input }, before) {
    changeCall(draft, before, callId, { changedInput: input })
  },

  'tool-start'(draft, { callId, toolName, effect }, before) {
    if (effect !== 'read') changeCall(draft, before, callId, { started: effect })
    setCall(draft, 'live', before, callId, { output: '', ...draft.live.calls[callId], toolName, running: true })
  },

  'tool-output'(draft, { callId, text, progress }, before) {
    const call = draft.live.calls[callId]
    if (call === undefined) return
    const output = (call.output + text).slice(-OUTPUT_KEPT)
    setCall(draft, 'live', before, callId, { ...call, output, ...(progress && { progress }) })
  },

  'tool-result'(draft, { result }, before) {
    const { callId, artifacts } = result
    const call = draft.pending.calls[callId]
    if (call === undefined) return
    setCall(draft, 'pending', before, callId)
    if (draft.live.calls[callId]) setCall(draft, 'live', before, callId)
    editPart(draft, call, { state: 'done', result }, before)
    if (artifacts?.length) draft.deliverables = [...draft.deliverables, ...artifacts]
  },

  request(draft, { request }, before) {
    draft.pending = { ...draft.pending, requests: [...draft.pending.requests, request] }
    markCall(draft, request, before)
  },

  'request-resolved'(draft, { requestId, resolution, reason, by }, before) {
    const { requests } = draft.pending
    const request = requests.find(({ id }) => id === requestId)
    if (request === undefined) return
    draft.pending = { ...draft.pending, requests: requests.filter((other) => other !== request) }
    markCall(draft, request, before, defined({ resolution, reason, by }))
  },

  compaction(draft, { note }, before) {
    ownHistory(draft, before).push(note)
  },

  notice(draft, event) {
    draft.notices = [...draft.notices, event].slice(-NOTICES_KEPT)
  },

  task(draft, { task, live }) {
    const { tasks } = draft.live
    // What is stored of a task is newer than the progress shown before.
    draft.live = changed(draft.live, { tasks: live ? { ...tasks, [task.id]: task } : without(tasks, task.id) })
    if (!live) draft.tasks = { ...draft.tasks, [task.id]: task }
  },

  activity(draft, { activity }) {
    draft.live = changed(draft.live, { activity })
  },

  rewound(draft, { toMessageId }) {
    const kept = 1 + draft.history.findLastIndex(({ id }) => id === toMessageId)
    if (kept < draft.history.length) draft.history = draft.history.slice(0, kept)
  },

  finish(draft, event) {
    const { runId, at, reason, usage } = event
    draft.lastFinish = { ...contentOf(event), runId, at }
    const { calls, requests, lanes } = draft.pending
    draft.pending = { calls: emptied(calls), requests: requests.length > 0 ? [] : requests, lanes }
    if (lanes.steer.length > 0) {
      const left = lanes.steer.map((input): Input => ({ ...input, lane: 'queue' }))
      setLanes(draft, { steer: [], queue: [...left, ...lanes.queue] })
    }
    setLanes(draft, { paused: reason !== 'stop' })
    draft.usage = { ...draft.usage, ...usage }
    delete draft.run
    draft.live = { calls: {}, tasks: {} }
  },
}

// A type comes from outside: it may be the name of a property every object has.
const FOLDS = /* @__PURE__ */ new Map(/* @__PURE__ */ Object.entries(folds)) as ReadonlyMap<string, Fold<AgentEvent>>

/** What an event says of its own. */
function contentOf<E extends AgentEvent>(event: E): Omit<E, keyof EventBase | 'type'> {
  const { type: _type, seq: _seq, at: _at, by: _by, runId: _runId, ...content } = event
  return content
}

/** History is copied once a batch, however many messages it brings: opening a long session stays linear. */
function ownHistory(draft: Draft, before: SessionState): Message[] {
  if (draft.history === before.history) draft.history = before.history.slice()
  return draft.history as Message[]
}

function setLanes(draft: Draft, lanes: Partial<SessionState['pending']['lanes']>): void {
  draft.pending = changed(draft.pending, { lanes: changed(draft.pending.lanes, lanes) })
}

function enqueue(draft: Draft, input: Input): void {
  setLanes(draft, { [input.lane]: [...draft.pending.lanes[input.lane], input] })
}

/** Puts the edited input in the place of the waiting one, or takes that out of its lane when it belongs elsewhere. */
function replaceInput(draft: Draft, inputId: string, edited?: Input): void {
  for (const lane of ['steer', 'queue'] as const) {
    const waiting = draft.pending.lanes[lane]
    const at = waiting.findIndex(({ id }) => id === inputId)
    if (at !== -1) setLanes(draft, { [lane]: waiting.toSpliced(at, 1, ...(edited?.lane === lane ? [edited] : [])) })
  }
}

/** Sets a call in its record, or takes it out of it. A record is copied once a batch, as history is. */
function setCall<S extends 'pending' | 'live'>(
  draft: Draft,
  slice: S,
  before: SessionState,
  callId: string,
  call?: SessionState[S]['calls'][string],
): void {
  let calls = draft[slice].calls as Record<string, typeof call>
  if (calls === before[slice].calls || callId === '__proto__') calls = { ...calls, [callId]: call }
  else calls[callId] = call
  if (call === undefined) delete calls[callId]
  draft[slice] = { ...draft[slice], calls }
}

function changeCall(
  draft: Draft,
  before: SessionState,
  callId: string,
  change: Parameters<typeof changed<PendingCall>>[1],
): void {
  const call = draft.pending.calls[callId]
  if (call) setCall(draft, 'pending', before, callId, changed(call, change))
}

/** Shows in the call of a request whether one is open on it now, and the answer when there is one. */
function markCall(draft: Draft, { id, callId }: Request, before: SessionState, answer?: Resolved): void {
  const { calls, requests } = draft.pending
  const call = callId === undefined ? undefined : calls[callId]
  if (call === undefined) return
  const requestId = requests.findLast((request) => request.callId === callId)?.id
  const resolved = answer ? { ...call.resolved, [id]: answer } : call.resolved
  changeCall(draft, before, call.callId, { requestId, resolved })
  editPart(draft, call, { state: requestId === undefined ? 'ready' : 'waiting' }, before)
}

/** Readers may hold only the last messages: a call outside the window changes nothing. */
function editPart(draft: Draft, call: PendingCall, change: Partial<ToolCallPart>, before: SessionState): void {
  const index = draft.history.findLastIndex(({ id }) => id === call.messageId)
  const message = draft.history[index]
  if (message?.role !== 'assistant') return
  const parts = message.parts.slice()
  parts[call.part] = { ...(parts[call.part] as ToolCallPart), ...change }
  ownHistory(draft, before)[index] = { ...message, parts }
}

function emptied<T>(record: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.keys(record).length > 0 ? {} : record
}
