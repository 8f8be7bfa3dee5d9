import type { EventDraft, RunStartEvent } from '../protocol/events.ts'
import type { AssistantMessage, Message, ToolOutcome, ToolResult } from '../protocol/messages.ts'
import type { OpenRun, PendingCall, SessionState } from '../protocol/state.ts'
import type { Task } from '../protocol/tasks.ts'
import { addUsage, NO_USAGE, type Usage } from '../protocol/usage.ts'

/** A source of chance: a whole number from 0 to `n - 1`. */
export type Choose = (n: number) => number

/** The same chances for the same seed. */
export function chances(seed: number): Choose {
  let state = seed | 0
  return (n) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return (state >> 8) % n
  }
}

const TEXTS = ['a', 'be', '', 'né ', '👩‍🚀', 'line\nline', '0123456789'.repeat(3)]
const MODEL = { provider: 'scripted', model: 'small', api: 'chat' }
const OUTCOMES: readonly ToolOutcome[] = ['ok', 'error', 'denied', 'timeout', 'skipped']

/**
 * What a session's owner might sequence next, judged by its state alone: legal in the order DESIGN promises (a message
 * before its calls' results, usage for every attempt, one finish for every run), and otherwise left to chance.
 * Everything returned belongs into one append. `mint` gives ids.
 */
export function randomStep(state: SessionState, choose: Choose, mint: (prefix: string) => string): EventDraft[] {
  const pick = <T>(items: readonly T[]): T => items[choose(items.length)] as T
  if (state.row.v === 0) return [{ type: 'session-created', v: 1, title: 'A session', metadata: { n: 1 } }]
  if (state.run === undefined) return idleStep(state, choose, pick, mint)
  if (choose(6) === 0) return asideStep(state, state.run, choose, pick, mint)
  if (state.pending.message) return streamingStep(state, state.run, state.pending.message, choose, pick, mint)
  if (Object.keys(state.pending.calls).length > 0) return toolStep(state, state.run, choose, pick, mint)
  return betweenTurns(state, state.run, choose, mint)
}

/**
 * What a new owner must sequence before anything else: it replaces whatever a reader may have seen of the open reply
 * and the store has not. Empty when there is nothing to replace: the run is closed, or goes on where it was.
 */
export function recoveryStep(state: SessionState, choose: Choose): EventDraft[] {
  const { run, pending } = state
  if (run === undefined) return []
  if (pending.message && !run.stopping && choose(2) === 0) {
    return [...failedAttempt(state, run, 'error'), nextAttempt(run, pending.message)]
  }
  if (!pending.message && !run.stopping && choose(2) === 0) return []
  return endRun(state, run, run.stopping ? 'aborted' : 'interrupted')
}

type Pick = <T>(items: readonly T[]) => T
type Mint = (prefix: string) => string

function idleStep(state: SessionState, choose: Choose, pick: Pick, mint: Mint): EventDraft[] {
  const shape = choose(12)
  const [queued] = state.pending.lanes.queue
  if (shape < 5) return startRun('input', mint, { parts: [{ type: 'text', text: pick(TEXTS) }] })
  if (shape === 5 && queued) {
    const runId = mint('run')
    const message: Message = { role: 'user', id: queued.id, at: 1, runId, placed: 'queue', parts: queued.parts }
    return [runStart(runId, 'input', [queued.id]), { type: 'message', runId, message }]
  }
  if (shape === 6) return startRun('continue', mint)
  if (shape === 7) return [{ type: 'session-updated', title: pick(['New', null]), archived: choose(2) === 0 }]
  if (shape === 8) {
    const to = choose(state.history.length + 1)
    const toMessageId = state.history[to]?.id
    return [{ type: 'rewound', ...(toMessageId !== undefined && { toMessageId }) }]
  }
  if (shape === 9) return [{ type: 'history', messages: imported(mint, choose) }]
  if (shape === 10) return [taskStep(state, choose, pick, mint)]
  return [{ type: 'notice', code: 'test.notice', text: pick(TEXTS) }]
}

/** What may happen at any time while a run is open. */
function asideStep(state: SessionState, run: OpenRun, choose: Choose, pick: Pick, mint: Mint): EventDraft[] {
  const runId = run.id
  const { steer, queue } = state.pending.lanes
  const waiting = [...steer, ...queue]
  const shape = choose(8)
  if (shape === 0 && !run.stopping) {
    const returned = waiting.map(({ id }): EventDraft => ({ type: 'input-returned', inputId: id, reason: 'aborted' }))
    return [{ type: 'abort', runId }, ...returned]
  }
  if (shape === 1 && waiting.length > 0) {
    const { id } = pick(waiting)
    return [{ type: 'input-changed', inputId: id, lane: pick(['steer', 'queue']) }]
  }
  if (shape === 2 && waiting.length > 0)
    return [{ type: 'input-returned', inputId: pick(waiting).id, reason: 'removed' }]
  if (shape === 3) return [taskStep(state, choose, pick, mint)]
  if (shape === 4) return [{ type: 'activity', runId }]
  if (shape === 5) return [{ type: 'activity', runId, activity: { kind: 'compacting' } }]
  if (shape === 6) return [{ type: 'notice', runId, code: 'test.notice', text: pick(TEXTS) }]
  const parts = [{ type: 'text' as const, text: pick(TEXTS) }]
  return [{ type: 'input', inputId: mint('in'), parts, lane: pick(['steer', 'queue']) }]
}

function streamingStep(
  state: SessionState,
  run: OpenRun,
  message: AssistantMessage,
  choose: Choose,
  pick: Pick,
  mint: Mint,
): EventDraft[] {
  const runId = run.id
  const shape = choose(16)
  if (run.stopping) return endRun(state, run, 'aborted')
  if (shape === 0) return [...failedAttempt(state, run, 'error'), nextAttempt(run, message)]
  if (shape === 1 || message.parts.length > 5) return commit(state, run, message)
  const call = message.parts.findLast((part) => part.type === 'tool-call')
  if (call && shape === 2) return [{ type: 'tool-call', runId, callId: call.callId, toolName: 'read', input: {} }]
  if (call && shape === 3) {
    return [{ type: 'tool-start', runId, callId: call.callId, toolName: 'read', effect: 'read' }]
  }
  if (call && shape === 4) return [{ type: 'tool-output', runId, callId: call.callId, text: pick(TEXTS) }]
  const text = pick(TEXTS)
  const last = message.parts.length - 1
  const part = last < 0 || choose(4) === 0 ? last + 1 : choose(3) === 0 ? choose(last + 1) : last
  const known = message.parts[part]
  const at = { runId, part, text }
  const type = known?.type ?? pick(['text', 'reasoning', 'tool-call'])
  if (known?.type === 'tool-call') {
    const from = known.inputText?.length ?? 0
    const named = known.toolName === '' && choose(2) === 0 && { toolName: 'write' }
    return [{ type: 'tool-input-delta', ...at, from, callId: known.callId, ...named }]
  }
  if (type === 'tool-call') return [{ type: 'tool-input-delta', ...at, from: 0, callId: mint('call') }]
  const from = known && 'text' in known ? (known.text?.length ?? 0) : 0
  return [{ type: type === 'reasoning' ? 'reasoning-delta' : 'text-delta', ...at, from }]
}

function toolStep(state: SessionState, run: OpenRun, choose: Choose, pick: Pick, mint: Mint): EventDraft[] {
  if (run.stopping) return endRun(state, run, 'aborted')
  const runId = run.id
  const call = pick(Object.values(state.pending.calls))
  const { callId, toolName } = call
  const open = state.pending.requests.find((request) => request.callId === callId)
  const shape = choose(9)
  if (open && shape < 4)
    return [
      { type: 'request-resolved', runId, requestId: open.id, resolution: { decision: 'deny' }, reason: 'answered' },
    ]
  if (shape === 4) return [{ type: 'tool-call', runId, callId, toolName, input: { n: 1 } }]
  if (shape === 5)
    return [{ type: 'tool-start', runId, callId, toolName, effect: pick(['read', 'idempotent', 'write']) }]
  if (shape === 6) return [{ type: 'tool-output', runId, callId, text: pick(TEXTS), progress: { done: choose(5) } }]
  if (shape === 8) return [{ type: 'tool-input-changed', runId, callId, toolName, input: { n: 2 }, plugin: 'p' }]
  if (shape === 7) return [{ type: 'request', runId, request: { id: mint('req'), kind: 'approval', callId, path: [] } }]
  return answer(state, run, call, pick(OUTCOMES), choose(4) === 0)
}

function betweenTurns(state: SessionState, run: OpenRun, choose: Choose, mint: Mint): EventDraft[] {
  const runId = run.id
  if (run.stopping) return endRun(state, run, 'aborted')
  if (run.openCall) {
    const note: Message = {
      role: 'note',
      id: mint('note'),
      at: 1,
      runId,
      kind: 'summary',
      text: 'So far.',
      toModel: true,
    }
    const compaction: EventDraft = {
      type: 'compaction',
      runId,
      trigger: 'threshold',
      method: 'summary',
      before: 9,
      after: 1,
      note,
    }
    return [...failedAttempt(state, run, 'stop'), ...(choose(2) === 0 ? [compaction] : [])]
  }
  if (run.turn > 0 && choose(3) === 0 && state.pending.lanes.steer.length === 0) return endRun(state, run, 'stop')
  const steered = state.pending.lanes.steer.map(
    (input): EventDraft => ({
      type: 'message',
      runId,
      message: { role: 'user', id: input.id, at: 1, runId, placed: 'steer', parts: input.parts },
    }),
  )
  const purpose = choose(6) === 0 ? 'compaction' : 'reply'
  const turn = { runId, turn: run.turn + 1, attempt: 1, messageId: mint('msg'), model: MODEL, estimatedTokens: 5 }
  return [...steered, { type: 'turn-start', ...turn, purpose, context: { used: 5 * run.turn, window: 1000 } }]
}

function startRun(
  trigger: 'input' | 'continue',
  mint: Mint,
  input?: { parts: { type: 'text'; text: string }[] },
): EventDraft[] {
  const runId = mint('run')
  if (input === undefined) return [runStart(runId, trigger, [])]
  const id = mint('in')
  return [
    { type: 'input', inputId: id, parts: input.parts, lane: 'start' },
    runStart(runId, trigger, [id]),
    { type: 'message', runId, message: { role: 'user', id, at: 1, runId, placed: 'start', parts: input.parts } },
  ]
}

function runStart(runId: string, trigger: RunStartEvent['trigger'], inputIds: string[]): EventDraft {
  return { type: 'run-start', runId, trigger, inputIds, config: { instructionsHash: 'h1', maxTurns: 50 } }
}

function nextAttempt(run: OpenRun, message: AssistantMessage): EventDraft {
  const turn = { runId: run.id, turn: run.turn, attempt: run.attempt + 1, messageId: message.id, model: MODEL }
  return { type: 'turn-start', ...turn, purpose: 'reply' }
}

function failedAttempt(
  state: SessionState,
  run: OpenRun,
  stop: 'error' | 'aborted' | 'stop' | 'tool-calls',
): EventDraft[] {
  if (!run.openCall) return []
  const call: Usage = stop === 'error' ? { estimated: true } : { inputTokens: 5, outputTokens: 2 }
  const { run: runTotal, total } = state.usage
  const sums = { call, run: addUsage(runTotal, call), total: addUsage(total, call) }
  return [{ type: 'usage', runId: run.id, ...sums, model: 'small', requestedModel: 'small', stop }]
}

/** The reply whole, and what it cost. */
function commit(state: SessionState, run: OpenRun, message: AssistantMessage, partial = false): EventDraft[] {
  const parts = message.parts.map((part) => {
    if (part.type !== 'tool-call') return part
    const { inputText: _text, ...call } = part
    return { ...call, toolName: call.toolName || 'write', input: { n: 1 }, state: 'ready' as const }
  })
  const whole: AssistantMessage = { ...message, parts, ...(partial && { partial }) }
  return [
    { type: 'message', runId: run.id, message: whole },
    ...failedAttempt(state, run, partial ? 'aborted' : 'tool-calls'),
  ]
}

function answer(
  state: SessionState,
  run: OpenRun,
  call: PendingCall,
  outcome: ToolOutcome,
  file: boolean,
): EventDraft[] {
  const { callId, toolName } = call
  const artifact = { id: `file-${callId}`, name: 'a.txt', mediaType: 'text/plain', size: 1, sha256: 'aa' }
  const result: ToolResult = {
    callId,
    toolName,
    outcome,
    output: outcome,
    durationMs: 1,
    ...(file && { artifacts: [artifact] }),
  }
  const closed = state.pending.requests
    .filter((request) => request.callId === callId)
    .map(
      ({ id }): EventDraft => ({
        type: 'request-resolved',
        runId: run.id,
        requestId: id,
        resolution: {},
        reason: 'aborted',
      }),
    )
  return [...closed, { type: 'tool-result', runId: run.id, result }]
}

function endRun(state: SessionState, run: OpenRun, reason: 'stop' | 'aborted' | 'interrupted'): EventDraft[] {
  const { message, calls } = state.pending
  const partial = message ? commit(state, run, message, true) : failedAttempt(state, run, 'aborted')
  const cut = (message?.parts ?? []).flatMap((part, index): PendingCall[] =>
    part.type === 'tool-call'
      ? [{ callId: part.callId, toolName: part.toolName || 'write', messageId: message?.id ?? '', part: index }]
      : [],
  )
  const answers = [...Object.values(calls), ...cut].flatMap((call) => answer(state, run, call, 'aborted', false))
  const usage = partial.findLast((event) => event.type === 'usage')
  const sums = { run: usage?.run ?? state.usage.run ?? NO_USAGE, total: usage?.total ?? state.usage.total }
  return [...partial, ...answers, { type: 'finish', runId: run.id, reason, usage: sums }]
}

function taskStep(state: SessionState, choose: Choose, pick: Pick, mint: Mint): EventDraft {
  const known = Object.keys(state.tasks)
  const id = known.length > 0 && choose(3) > 0 ? pick(known) : mint('task')
  const task: Task = { id, kind: 'job', state: pick(['running', 'done']), progress: { bytes: choose(100) } }
  return { type: 'task', task, ...(choose(2) === 0 && { live: true as const }) }
}

/** A reply with its result inside, as a fork or an import brings it. */
function imported(mint: Mint, choose: Choose): Message[] {
  const callId = mint('call')
  const result: ToolResult = { callId, toolName: 'read', outcome: 'ok', output: { n: choose(9) }, durationMs: 1 }
  return [
    { role: 'user', id: mint('in'), at: 1, parts: [{ type: 'text', text: 'Before.' }] },
    {
      role: 'assistant',
      id: mint('msg'),
      at: 1,
      parts: [{ type: 'tool-call', callId, toolName: 'read', input: {}, state: 'done', result }],
    },
  ]
}
